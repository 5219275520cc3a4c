/**
 * Checks at start-up: facts are gathered, rules judge them, one report says all.
 *
 * <p>It must not know what is started afterwards.
 */
@NullMarked
package dev.weir.autoconfigure.preflight;

import org.jspecify.annotations.NullMarked;
