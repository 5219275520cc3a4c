/**
 * Measures Weir beside others who do the same work: starts broker and workers, loads, samples, checks every output, reports.
 *
 * <p>It must not know how any of the workers does its work.
 */
@NullMarked
package dev.weir.benchmark;

import org.jspecify.annotations.NullMarked;
