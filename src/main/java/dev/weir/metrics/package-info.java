/**
 * One catalogue of meters, and the typed methods by which they are recorded.
 *
 * <p>It must not know who records them or where they are shown.
 */
@NullMarked
package dev.weir.metrics;

import org.jspecify.annotations.NullMarked;
