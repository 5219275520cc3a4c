/**
 * Where a worker's time and its allocations go.
 *
 * <p>It must not know what is measured, nor by whom the work is done.
 */
@NullMarked
package dev.weir.benchmark.profile;

import org.jspecify.annotations.NullMarked;
