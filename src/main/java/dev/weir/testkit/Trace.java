package dev.weir.testkit;

import java.util.ArrayList;
import java.util.List;

/** What happened in a simulation: a hash over everything, and the last events to be read. */
final class Trace {

    private static final int KEPT = 400;

    private final String[] what = new String[KEPT];
    private final String[] who = new String[KEPT];
    private final long[] when = new long[KEPT];
    private final long[] number = new long[KEPT];
    private long count;
    private long hash = 0xcbf29ce484222325L;

    void add(long nowMillis, String event, String subject, long detail) {
        int at = (int) (count++ % KEPT);
        what[at] = event;
        who[at] = subject;
        when[at] = nowMillis;
        number[at] = detail;
        mix(nowMillis);
        mix(event.hashCode());
        mix(subject.hashCode());
        mix(detail);
    }

    private void mix(long value) {
        hash = (hash ^ value) * 0x9e3779b97f4a7c15L;
        hash ^= hash >>> 29;
    }

    long hash() {
        return hash;
    }

    List<String> last(int most) {
        List<String> lines = new ArrayList<>();
        long from = Math.max(0, count - Math.min(most, KEPT));
        for (long i = from; i < count; i++) {
            int at = (int) (i % KEPT);
            lines.add("#" + i + " @" + when[at] + "ms " + what[at] + " " + who[at]
                    + (number[at] == 0 ? "" : " " + number[at]));
        }
        return lines;
    }
}
