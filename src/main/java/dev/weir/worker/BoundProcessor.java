package dev.weir.worker;

import dev.weir.api.Processor;
import dev.weir.codec.MessageCodec;
import dev.weir.codec.StateCodec;
import dev.weir.topology.ProcessorSpec;

/** A processor, its declaration and how its messages and states become bytes. */
public record BoundProcessor(ProcessorSpec spec, Processor<?, ?> processor, MessageCodec messages, StateCodec states) {}
