package dev.weir.autoconfigure;

import dev.weir.api.Processor;
import dev.weir.topology.ProcessorSpec;
import java.lang.reflect.Type;

/**
 * A processor found among the beans.
 *
 * @param spec as it is declared
 * @param processor the bean
 * @param keyType the type of the keys that it takes
 * @param valueType the type of the values that it takes
 */
record DiscoveredProcessor(ProcessorSpec spec, Processor<?, ?> processor, Type keyType, Type valueType) {}
