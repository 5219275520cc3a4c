package dev.weir.torture;

import dev.weir.api.Message;
import dev.weir.api.Processor;
import dev.weir.api.ProcessorContext;
import dev.weir.api.StreamProcessor;
import dev.weir.api.ValueState;
import org.apache.kafka.common.serialization.Serdes;

/** Keeps an account for each key and emits it whenever it changes. */
@StreamProcessor(name = Ledger.NAME, inputs = Ledger.INPUT, outputs = Ledger.OUTPUT)
class Ledger implements Processor<String, String> {

    static final String NAME = "ledger";
    static final String INPUT = "items";
    static final String OUTPUT = "postings";
    static final ValueState<String> ACCOUNT = ValueState.of("account", Serdes.String());

    @Override
    public void process(Message<String, String> message, ProcessorContext context) {
        var item = Item.parse(message.value());
        if (item.partition() != message.partition() || !item.key().equals(message.key())) {
            throw new IllegalArgumentException("Cannot process a record: it is not the one of its partition and key");
        }
        var account = Account.parse(context.state(ACCOUNT).getOr(Account.EMPTY.text()))
                .plus(item);
        context.state(ACCOUNT).set(account.text());
        context.emit(
                OUTPUT, item.key(), Posting.of(item, message.offset(), account).text());
    }
}
