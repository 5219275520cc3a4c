package dev.weir;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.all;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.lang.AbstractClassesTransformer;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ClassesTransformer;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The architecture below one root package, as rules made from data. */
record Architecture(String root, int topLevelTypesPerPackage) {

    /** Every package, and the packages that it may depend on. */
    static final Map<String, Set<String>> MAY_DEPEND_ON = mayDependOn();

    /** Which packages may touch a library; whatever the library's other rules say, all must hold. */
    static final List<Library> LIBRARIES = List.of(
            new Library("RocksDB", Set.of("org.rocksdb"), Set.of(), Set.of("state.rocks")),
            new Library("the AWS SDK", Set.of("software.amazon"), Set.of(), Set.of("snapshot.s3")),
            new Library(
                    "Kafka's serdes",
                    Set.of("org.apache.kafka.common.serialization"),
                    Set.of(),
                    Set.of("api", "codec", "kafka", "autoconfigure", "example")),
            new Library(
                    "Kafka's topic descriptions",
                    Set.of("org.apache.kafka.clients.admin.NewTopic"),
                    Set.of(),
                    Set.of("kafka", "autoconfigure", "example")),
            new Library(
                    "Kafka's clients",
                    Set.of("org.apache.kafka"),
                    Set.of("org.apache.kafka.common.serialization", "org.apache.kafka.clients.admin.NewTopic"),
                    Set.of("kafka", "autoconfigure")),
            new Library(
                    "Spring",
                    Set.of("org.springframework"),
                    Set.of(),
                    Set.of("autoconfigure", "actuator", "dashboard", "cli", "example")),
            new Library(
                    "Spring for Kafka",
                    Set.of("org.springframework.kafka"),
                    Set.of(),
                    Set.of("autoconfigure", "example")),
            new Library(
                    "Micrometer", Set.of("io.micrometer"), Set.of(), Set.of("metrics", "autoconfigure", "actuator")),
            new Library(
                    "Java serialization",
                    Set.of("java.io.ObjectInputStream", "java.io.ObjectOutputStream"),
                    Set.of(),
                    Set.of()));

    /** Packages that hold more types than they should; a number here may only go down. */
    private static final Map<String, Integer> LARGER_PACKAGES =
            Map.of("dev.weir.kafka", 32, "dev.weir.state", 21, "dev.weir.snapshot", 23, "dev.weir.worker", 22);

    private static final Map<String, Set<String>> CLOCKS_AND_SLEEP = Map.ofEntries(
            Map.entry("java.lang.System", Set.of("currentTimeMillis", "nanoTime")),
            Map.entry("java.lang.Thread", Set.of("sleep")),
            Map.entry("java.util.concurrent.TimeUnit", Set.of("sleep")),
            Map.entry("java.util.concurrent.locks.LockSupport", Set.of("parkNanos", "parkUntil")),
            Map.entry("java.time.Instant", Set.of("now")),
            Map.entry("java.time.LocalDate", Set.of("now")),
            Map.entry("java.time.LocalTime", Set.of("now")),
            Map.entry("java.time.LocalDateTime", Set.of("now")),
            Map.entry("java.time.OffsetDateTime", Set.of("now")),
            Map.entry("java.time.OffsetTime", Set.of("now")),
            Map.entry("java.time.ZonedDateTime", Set.of("now")),
            Map.entry("java.time.Year", Set.of("now")),
            Map.entry("java.time.YearMonth", Set.of("now")),
            Map.entry("java.time.MonthDay", Set.of("now")),
            Map.entry("java.time.InstantSource", Set.of("system")),
            Map.entry(
                    "java.time.Clock",
                    Set.of(
                            "systemUTC",
                            "systemDefaultZone",
                            "system",
                            "tick",
                            "tickMillis",
                            "tickSeconds",
                            "tickMinutes")),
            Map.entry("java.util.Calendar", Set.of("getInstance")));

    private static final Map<String, Set<String>> UNSEEDED_RANDOMNESS = Map.of(
            "java.util.UUID", Set.of("randomUUID"),
            "java.lang.Math", Set.of("random"),
            "java.lang.StrictMath", Set.of("random"));

    private static final Set<String> RANDOM_GENERATORS = Set.of(
            "java.util.Random",
            "java.util.SplittableRandom",
            "java.util.random.RandomGenerator",
            "java.util.random.RandomGeneratorFactory");

    private static final Set<String> UNSEEDABLE_GENERATORS =
            Set.of("java.util.concurrent.ThreadLocalRandom", "java.security.SecureRandom");

    /** A library by the prefixes of its types, less the exceptions, and the packages that may touch it. */
    record Library(String name, Set<String> prefixes, Set<String> exceptions, Set<String> packages) {

        private DescribedPredicate<JavaClass> types() {
            return DescribedPredicate.describe(name, type -> matches(type, prefixes) && !matches(type, exceptions));
        }

        private static boolean matches(JavaClass type, Set<String> prefixes) {
            String name = type.getFullName();
            return prefixes.stream()
                    .anyMatch(prefix ->
                            name.equals(prefix) || name.startsWith(prefix + ".") || name.startsWith(prefix + "$"));
        }
    }

    private static Map<String, Set<String>> mayDependOn() {
        var map = new LinkedHashMap<String, Set<String>>();
        map.put("api", Set.of());
        map.put("time", Set.of());
        map.put("failure", Set.of());
        map.put("metrics", Set.of());
        map.put("status", Set.of());
        map.put("topology", Set.of("api", "failure"));
        map.put("barrier", Set.of("topology", "failure"));
        map.put("codec", Set.of("api", "failure"));
        map.put("state", Set.of("api", "topology", "codec", "time", "failure"));
        map.put("operator", Set.of("api"));
        map.put("snapshot", Set.of("barrier", "topology", "state", "time", "failure", "metrics"));
        map.put("kafka", Set.of("api", "barrier", "topology", "time", "failure"));
        map.put("worker", Set.copyOf(map.keySet()));
        map.put(
                "coordinator",
                Set.of("topology", "barrier", "snapshot", "kafka", "time", "failure", "metrics", "status"));
        var library = Set.copyOf(map.keySet());
        map.put("actuator", Set.of("status"));
        map.put("dashboard", Set.of("status"));
        map.put("cli", Set.of("snapshot", "status"));
        map.put("autoconfigure", Set.copyOf(map.keySet()));
        map.put("testkit", library);
        map.put("example", Set.of("api", "status"));
        return map;
    }

    List<ArchRule> rules() {
        return Stream.of(
                        Stream.of(everyPackageIsListed(), noCycles(), nullMarked(), smallPackages(), tellingNames()),
                        Stream.of(tellingPackageNames(), noClocks(), noRandomness(), noUnseededRandomness()),
                        MAY_DEPEND_ON.keySet().stream().map(this::dependencies),
                        LIBRARIES.stream().map(this::usage))
                .flatMap(rules -> rules)
                .map(rule -> rule.allowEmptyShould(true))
                .toList();
    }

    ArchRule everyPackageIsListed() {
        return classes()
                .should()
                .resideInAnyPackage(trees(MAY_DEPEND_ON.keySet()))
                .as("Every package is one of " + MAY_DEPEND_ON.keySet() + " or below one");
    }

    ArchRule dependencies(String name) {
        var allowed =
                Stream.concat(Stream.of(name), MAY_DEPEND_ON.get(name).stream()).collect(Collectors.toSet());
        return noClasses()
                .that()
                .resideInAPackage(tree(name))
                .should()
                .dependOnClassesThat(
                        resideInAPackage(root + "..").and(DescribedPredicate.not(resideInAnyPackage(trees(allowed)))))
                .as("Package " + name + " depends on nothing but " + MAY_DEPEND_ON.get(name));
    }

    ArchRule noCycles() {
        return slices().matching(root + ".(**)").should().beFreeOfCycles();
    }

    ArchRule usage(Library library) {
        return noClasses()
                .that()
                .resideOutsideOfPackages(trees(library.packages()))
                .should()
                .dependOnClassesThat(library.types())
                .as("Only " + library.packages() + " touch " + library.name());
    }

    ArchRule noClocks() {
        return outside("time", "example")
                .should(access(
                        "read a clock or sleep",
                        access -> isOneOf(access, CLOCKS_AND_SLEEP)
                                || constructsUnaided(access, Set.of("java.util.Date", "java.util.GregorianCalendar"))))
                .as("Only time reads clocks and sleeps: use dev.weir.time");
    }

    ArchRule noRandomness() {
        return outside("time", "example", "testkit")
                .should(access("use a random generator", access -> ownerIsOneOf(access, RANDOM_GENERATORS)))
                .as("Only time makes randomness, and testkit from a seed: use dev.weir.time");
    }

    ArchRule noUnseededRandomness() {
        return outside("time", "example")
                .should(access(
                        "make randomness without a seed",
                        access -> isOneOf(access, UNSEEDED_RANDOMNESS)
                                || ownerIsOneOf(access, UNSEEDABLE_GENERATORS)
                                || isOneOf(
                                        access, Map.of("java.util.random.RandomGenerator", Set.of("getDefault", "of")))
                                || constructsUnaided(access, RANDOM_GENERATORS)
                                || access.getTarget()
                                        .getFullName()
                                        .equals("java.util.Collections.shuffle(java.util.List)")))
                .as("Only time makes randomness without a seed: use dev.weir.time");
    }

    ArchRule nullMarked() {
        return all(packages()).should(new ArchCondition<>("be annotated @NullMarked in their package-info") {
            @Override
            public void check(JavaPackage item, ConditionEvents events) {
                boolean marked = item.isAnnotatedWith("org.jspecify.annotations.NullMarked");
                events.add(new SimpleConditionEvent(item, marked, item.getName() + " @NullMarked: " + marked));
            }
        });
    }

    ArchRule smallPackages() {
        return all(packages()).should(new ArchCondition<>("hold at most %d top-level types", topLevelTypesPerPackage) {
            @Override
            public void check(JavaPackage item, ConditionEvents events) {
                long types = item.getClasses().stream()
                        .filter(type -> type.isTopLevelClass()
                                && !type.isArray()
                                && !type.getSimpleName().equals("package-info"))
                        .count();
                int most = LARGER_PACKAGES.getOrDefault(item.getName(), topLevelTypesPerPackage);
                events.add(new SimpleConditionEvent(item, types <= most, item.getName() + " holds " + types));
            }
        });
    }

    ArchRule tellingNames() {
        return noClasses()
                .should()
                .haveSimpleNameEndingWith("Impl")
                .orShould()
                .haveSimpleNameEndingWith("Manager")
                .orShould()
                .haveSimpleNameEndingWith("Helper")
                .orShould()
                .haveSimpleNameEndingWith("Util")
                .orShould()
                .haveSimpleNameEndingWith("Utils");
    }

    ArchRule tellingPackageNames() {
        return noClasses()
                .should()
                .resideInAnyPackage(root + "..internal..", root + "..util..", root + "..utils..", root + "..common..");
    }

    private GivenClassesConjunction outside(String... names) {
        return noClasses().that().resideOutsideOfPackages(trees(Arrays.asList(names)));
    }

    private ClassesTransformer<JavaPackage> packages() {
        return new AbstractClassesTransformer<>("packages") {
            @Override
            public Iterable<JavaPackage> doTransform(JavaClasses imported) {
                return imported.stream().map(JavaClass::getPackage).collect(Collectors.toSet());
            }
        };
    }

    private String tree(String name) {
        return root + "." + name + "..";
    }

    private String[] trees(Iterable<String> names) {
        var trees = new ArrayList<String>();
        names.forEach(name -> trees.add(tree(name)));
        return trees.toArray(String[]::new);
    }

    private static ArchCondition<JavaClass> access(String description, Predicate<JavaAccess<?>> banned) {
        return new ArchCondition<>(description) {
            @Override
            public void check(JavaClass item, ConditionEvents events) {
                for (JavaAccess<?> access : item.getAccessesFromSelf()) {
                    if (banned.test(access)) {
                        events.add(SimpleConditionEvent.satisfied(item, access.getDescription()));
                    }
                }
            }
        };
    }

    private static boolean isOneOf(JavaAccess<?> access, Map<String, Set<String>> methods) {
        return methods.entrySet().stream()
                .anyMatch(entry -> access.getTargetOwner().isAssignableTo(entry.getKey())
                        && entry.getValue().contains(access.getTarget().getName()));
    }

    private static boolean ownerIsOneOf(JavaAccess<?> access, Set<String> types) {
        return types.stream().anyMatch(type -> access.getTargetOwner().isAssignableTo(type));
    }

    /** Whether the access calls a constructor without arguments, the one that asks the system. */
    private static boolean constructsUnaided(JavaAccess<?> access, Set<String> types) {
        return access.getTarget().getFullName().endsWith(".<init>()")
                && types.contains(access.getTargetOwner().getName());
    }
}
