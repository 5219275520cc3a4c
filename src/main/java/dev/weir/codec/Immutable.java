package dev.weir.codec;

import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/** Tells of which types no value can ever change: scalars, text, enums, times, and records of nothing else. */
final class Immutable {

    private static final Set<Class<?>> SCALARS = Set.of(
            String.class,
            Boolean.class,
            Byte.class,
            Short.class,
            Character.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            BigDecimal.class,
            BigInteger.class,
            UUID.class);

    private Immutable() {}

    /** Whether no value of the type can change. False where that is not certain. */
    static boolean is(Type type) {
        return is(type, new HashSet<>());
    }

    private static boolean is(Type type, Set<Type> above) {
        if (!(type instanceof Class<?> plain)) {
            return false;
        }
        if (plain.isPrimitive() || SCALARS.contains(plain) || plain.isEnum() || isTime(plain)) {
            return true;
        }
        if (!plain.isRecord() || plain.getTypeParameters().length > 0) {
            return false;
        }
        if (!above.add(plain)) {
            return true;
        }
        for (var component : plain.getRecordComponents()) {
            if (!is(component.getGenericType(), above)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isTime(Class<?> type) {
        return type.getPackageName().equals("java.time") && Modifier.isFinal(type.getModifiers());
    }
}
