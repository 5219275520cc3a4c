package dev.weir;

import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/** Prints how to replay a failed seed. */
final class SeedReport implements InvocationInterceptor {

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        try {
            invocation.proceed();
        } catch (TestAbortedException e) {
            throw e;
        } catch (Throwable e) {
            System.err.println(replay(called));
            throw e;
        }
    }

    static String replay(ReflectiveInvocationContext<Method> called) {
        String type = called.getTargetClass().getName();
        Object seed = called.getArguments().get(0);
        String run = type.endsWith("IT") ? "verify -Dit.test=" : "test -Dtest=";
        return "Seed " + seed + " failed; replay it with: ./mvnw " + run + "'" + type + "#"
                + called.getExecutable().getName() + "' -D" + Seeds.SEED + "=" + seed;
    }
}
