package dev.weir.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Declares a singleton Spring bean that implements {@link Processor} as a processor of the domain. */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface StreamProcessor {

    /**
     * The processor's name, unique in the domain. It names the consumer group, the tasks and their state, so it must not change
     * once there is state. Letters, digits, {@code -} and {@code _}, at most 60.
     */
    String name();

    /** The topics that the processor reads; all must have the same number of partitions. At least one. */
    String[] inputs();

    /** The topics that the processor may emit to. */
    String[] outputs() default {};
}
