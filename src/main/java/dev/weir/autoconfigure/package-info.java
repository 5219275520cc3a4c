/**
 * All Spring wiring: properties, discovery of processors, life cycle.
 *
 * <p>It must not decide anything that runs: it collects, checks and hands over.
 */
@NullMarked
package dev.weir.autoconfigure;

import org.jspecify.annotations.NullMarked;
