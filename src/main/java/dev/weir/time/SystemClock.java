package dev.weir.time;

enum SystemClock implements Clock {
    INSTANCE;

    @Override
    public long wallMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }
}
