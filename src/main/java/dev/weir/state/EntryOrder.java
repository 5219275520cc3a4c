package dev.weir.state;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Sorts keys that stand in one array. Five bytes behind what all of them begin with, and the key's number, make one long: most keys
 * are in order once these are sorted, and only those that have the five bytes in common are compared whole.
 */
final class EntryOrder {

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final int NUMBER_BITS = 24;
    private static final int PREFIX_BYTES = 5;

    private final byte[] data;
    private final int[] keyAt;
    private final int size;

    /** The first {@code size} keys, each where {@code keyAt} says, its length in four bytes before it. */
    EntryOrder(byte[] data, int[] keyAt, int size) {
        this.data = data;
        this.keyAt = keyAt;
        this.size = size;
    }

    /** The numbers of the keys, in ascending order of unsigned bytes. */
    int[] ascending() {
        int[] order = new int[size];
        if (size >= 1 << NUMBER_BITS) {
            sortWhole(order);
            return order;
        }
        int common = commonPrefix();
        long[] packed = new long[size];
        for (int i = 0; i < size; i++) {
            packed[i] = prefix(i, common) << NUMBER_BITS | i;
        }
        sort(packed);
        for (int i = 0; i < size; i++) {
            order[i] = (int) packed[i] & (1 << NUMBER_BITS) - 1;
        }
        int begin = 0;
        for (int i = 1; i <= size; i++) {
            if (i == size || packed[i] >>> NUMBER_BITS != packed[begin] >>> NUMBER_BITS) {
                sortWhole(order, begin, i);
                begin = i;
            }
        }
        return order;
    }

    /** Sorts as unsigned numbers. */
    private static void sort(long[] packed) {
        for (int i = 0; i < packed.length; i++) {
            packed[i] ^= Long.MIN_VALUE;
        }
        Arrays.sort(packed);
        for (int i = 0; i < packed.length; i++) {
            packed[i] ^= Long.MIN_VALUE;
        }
    }

    private void sortWhole(int[] order) {
        for (int i = 0; i < size; i++) {
            order[i] = i;
        }
        sortWhole(order, 0, size);
    }

    private void sortWhole(int[] order, int begin, int end) {
        if (end - begin < 2) {
            return;
        }
        Integer[] boxed = new Integer[end - begin];
        for (int i = begin; i < end; i++) {
            boxed[i - begin] = order[i];
        }
        Arrays.sort(boxed, this::compare);
        for (int i = begin; i < end; i++) {
            order[i] = boxed[i - begin];
        }
    }

    private int compare(int one, int other) {
        int a = keyAt[one];
        int b = keyAt[other];
        return Arrays.compareUnsigned(data, a + 4, a + 4 + length(a), data, b + 4, b + 4 + length(b));
    }

    private int commonPrefix() {
        if (size == 0) {
            return 0;
        }
        int first = keyAt[0];
        int common = length(first);
        for (int i = 1; i < size && common > 0; i++) {
            int at = keyAt[i];
            int until = Math.min(common, length(at));
            int mismatch = Arrays.mismatch(data, first + 4, first + 4 + until, data, at + 4, at + 4 + until);
            common = mismatch < 0 ? until : mismatch;
        }
        return common;
    }

    /** Zeros stand for what a short key lacks: it is equal to one that has them, and told from it by the whole. */
    private long prefix(int number, int from) {
        int at = keyAt[number];
        int length = length(at);
        long prefix = 0;
        for (int i = 0; i < PREFIX_BYTES; i++) {
            int position = from + i;
            prefix = prefix << 8 | (position < length ? data[at + 4 + position] & 0xFF : 0);
        }
        return prefix;
    }

    private int length(int at) {
        return (int) INT.get(data, at);
    }
}
