/**
 * Exceptions, grouped by what the caller must do when it meets one.
 *
 * <p>It must not know who throws them.
 */
@NullMarked
package dev.weir.failure;

import org.jspecify.annotations.NullMarked;
