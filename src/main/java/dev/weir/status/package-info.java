/**
 * Immutable read models of what runs, and the interface that supplies them.
 *
 * <p>It must not know how they are gathered or shown.
 */
@NullMarked
package dev.weir.status;

import org.jspecify.annotations.NullMarked;
