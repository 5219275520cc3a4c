package dev.weir.fault;

import dev.weir.api.Message;
import dev.weir.api.Processor;
import dev.weir.api.ProcessorContext;
import dev.weir.api.ValueState;
import dev.weir.fault.Sequence.Item;
import dev.weir.fault.Sequence.Total;
import java.util.function.Consumer;
import org.apache.kafka.common.serialization.Serdes;

/** Keeps a total per key and emits it. */
final class Totals implements Processor<byte[], byte[]> {

    static final String NAME = "totals";
    static final ValueState<Long> TOTAL = ValueState.of("total", Serdes.Long());

    private final String output;
    private final Consumer<Item> before;

    /** Emits to a topic; every item is shown first, which may take its time or throw. */
    Totals(String output, Consumer<Item> before) {
        this.output = output;
        this.before = before;
    }

    @Override
    public void process(Message<byte[], byte[]> message, ProcessorContext context) {
        var item = Item.parse(message.value());
        before.accept(item);
        long total = context.state(TOTAL).getOr(0L) + item.delta();
        context.state(TOTAL).set(total);
        context.emit(output, message.key(), new Total(item.partition(), item.seq(), item.key(), total).bytes());
    }
}
