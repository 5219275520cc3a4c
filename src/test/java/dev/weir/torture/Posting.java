package dev.weir.torture;

/** An output record: which input it comes of, and the key's account behind it. */
record Posting(int partition, long offset, long seq, String key, Account account) {

    static Posting of(Item item, long offset, Account account) {
        return new Posting(item.partition(), offset, item.seq(), item.key(), account);
    }

    String text() {
        return Item.sealed(
                partition + "," + offset + "," + seq + "," + key + "," + account.count() + "," + account.sum());
    }

    /**
     * Reads one.
     *
     * @throws IllegalArgumentException if a bit of it has changed
     */
    static Posting parse(String text) {
        var fields = Item.opened(text, 6);
        return new Posting(
                Integer.parseInt(fields[0]),
                Long.parseLong(fields[1]),
                Long.parseLong(fields[2]),
                fields[3],
                new Account(Long.parseLong(fields[4]), Long.parseLong(fields[5])));
    }
}
