package dev.weir.example;

import dev.weir.api.Message;
import dev.weir.api.Processor;
import dev.weir.api.ProcessorContext;
import dev.weir.api.StreamProcessor;
import dev.weir.api.ValueState;
import org.springframework.stereotype.Component;

/** Keeps the totals of each airport and emits them whenever they change. */
@Component
@StreamProcessor(name = "airport-delays", inputs = "flights", outputs = "airport-totals")
class AirportDelays implements Processor<String, Flight> {

    static final ValueState<Totals> TOTALS = ValueState.of("totals", Totals.class);

    @Override
    public void process(Message<String, Flight> flight, ProcessorContext context) {
        var totals = context.state(TOTALS).getOr(Totals.EMPTY).plus(flight.value());
        context.state(TOTALS).set(totals);
        context.emit("airport-totals", flight.key(), totals);
    }
}
