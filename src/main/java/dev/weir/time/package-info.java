/**
 * The only code that reads clocks, sleeps or makes randomness.
 *
 * <p>It must not know what the time or the random value is used for.
 */
@NullMarked
package dev.weir.time;

import org.jspecify.annotations.NullMarked;
