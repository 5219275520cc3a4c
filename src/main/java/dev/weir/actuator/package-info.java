/**
 * Health of what runs in this process.
 *
 * <p>It must not know how the status is gathered.
 */
@NullMarked
package dev.weir.actuator;

import org.jspecify.annotations.NullMarked;
