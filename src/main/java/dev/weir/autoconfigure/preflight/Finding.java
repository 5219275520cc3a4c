package dev.weir.autoconfigure.preflight;

/**
 * One thing that a check found.
 *
 * @param severity whether it stops the start
 * @param subject what was looked at
 * @param value what it is
 * @param rule what it should be, and why
 * @param remedy what to do
 */
public record Finding(Severity severity, String subject, String value, String rule, String remedy) {

    /** Whether a finding stops the start. */
    public enum Severity {
        ERROR,
        WARNING
    }

    /** As one sentence. */
    public String sentence() {
        return subject + " is " + value + ", but " + rule + "; " + remedy;
    }
}
