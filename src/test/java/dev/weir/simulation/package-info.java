/** The simulation's checkers and the wrong clients that they must catch. */
@NullMarked
package dev.weir.simulation;

import org.jspecify.annotations.NullMarked;
