/**
 * What users write against: processors, messages, state descriptors, the context.
 *
 * <p>It must not know how any of it is executed.
 */
@NullMarked
package dev.weir.api;

import org.jspecify.annotations.NullMarked;
