package dev.weir.testkit;

/** What may befall the calls of one process. */
interface Hazards {

    /** Nothing ever happens. */
    Hazards NONE = new Hazards() {
        @Override
        public boolean happens(FaultPlan.Fault fault) {
            return false;
        }

        @Override
        public void reach(String point) {}

        @Override
        public String process() {
            return "test";
        }
    };

    /** Whether the fault happens on this occasion. */
    boolean happens(FaultPlan.Fault fault);

    /** The process has come to a point between two effects; it may be killed or stand still here. */
    void reach(String point);

    /** The process's name. */
    String process();
}
