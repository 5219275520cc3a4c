package dev.weir.snapshot;

/** The rule for names of objects. What it lets through is a safe relative path and a safe key for every kind of store. */
public final class ObjectNames {

    /** Longest name, in characters; leaves room for a prefix within the 1,024 bytes of an S3 key. */
    public static final int MAX_LENGTH = 800;

    /** Longest part between two slashes, in characters: what file systems allow. */
    public static final int MAX_PART_LENGTH = 255;

    private static final String RULE =
            "use 1 to " + MAX_LENGTH + " characters of [a-z0-9A-Z._=/-], without empty, '.' or '..' parts"
                    + " and with at most " + MAX_PART_LENGTH + " characters in a part";

    private ObjectNames() {}

    /**
     * Returns the name if it is one.
     *
     * @throws IllegalArgumentException if it is not
     */
    public static String require(String name) {
        if (!isName(name)) {
            throw new IllegalArgumentException("Cannot name an object \"" + printable(name) + "\": " + RULE);
        }
        return name;
    }

    /**
     * Returns the prefix if names can begin with it; the empty one is a prefix of all.
     *
     * @throws IllegalArgumentException if no name can begin with it
     */
    public static String requirePrefix(String prefix) {
        var tail = prefix.substring(prefix.lastIndexOf('/') + 1);
        var head = prefix.substring(0, prefix.length() - tail.length());
        var legal = tail.chars().allMatch(ObjectNames::isLegal)
                && (head.isEmpty() || isName(head.substring(0, head.length() - 1)));
        if (!legal) {
            throw new IllegalArgumentException(
                    "Cannot list objects that begin with \"" + printable(prefix) + "\": " + RULE);
        }
        return prefix;
    }

    /** Whether it is the name of an object. */
    public static boolean isName(String name) {
        if (name.isEmpty() || name.length() > MAX_LENGTH) {
            return false;
        }
        int start = 0;
        for (int i = 0; i <= name.length(); i++) {
            if (i == name.length() || name.charAt(i) == '/') {
                if (!isPart(name, start, i)) {
                    return false;
                }
                start = i + 1;
            }
        }
        return true;
    }

    private static boolean isPart(String name, int start, int end) {
        int length = end - start;
        if (length == 0 || length > MAX_PART_LENGTH) {
            return false;
        }
        for (int i = start; i < end; i++) {
            if (!isLegal(name.charAt(i))) {
                return false;
            }
        }
        boolean dots = length <= 2 && name.charAt(start) == '.' && name.charAt(end - 1) == '.';
        return !dots;
    }

    private static boolean isLegal(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '.'
                || c == '_'
                || c == '='
                || c == '-';
    }

    private static String printable(String name) {
        var text = new StringBuilder();
        for (int i = 0; i < name.length() && text.length() < 100; i++) {
            char c = name.charAt(i);
            text.append(c >= ' ' && c < 0x7f ? c : '?');
        }
        return text.append(name.length() > 100 ? "…" : "").toString();
    }
}
