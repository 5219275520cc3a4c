package dev.weir.torture;

/** What is kept for a key: how many records it had, and their sum. */
record Account(long count, long sum) {

    static final Account EMPTY = new Account(0, 0);

    Account plus(Item item) {
        return new Account(count + 1, sum + item.delta());
    }

    String text() {
        return count + "," + sum;
    }

    static Account parse(String text) {
        int comma = text.indexOf(',');
        return new Account(Long.parseLong(text.substring(0, comma)), Long.parseLong(text.substring(comma + 1)));
    }
}
