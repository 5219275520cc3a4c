/**
 * The torture campaign: real processes under load, with faults drawn from a seed, judged when they have healed.
 *
 * <p>It must not know how processors are implemented: it sees topics, the object store, and the two seams at which workers are hit.
 */
@NullMarked
package dev.weir.torture;

import org.jspecify.annotations.NullMarked;
