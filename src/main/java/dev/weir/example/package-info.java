/**
 * The example application: totals of flights by airport of departure.
 *
 * <p>It must not use anything of Weir but what its users write against, and the status that it shows.
 */
@NullMarked
package dev.weir.example;

import org.jspecify.annotations.NullMarked;
