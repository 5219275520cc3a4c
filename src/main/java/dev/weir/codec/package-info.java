/**
 * Keys, values and state to bytes and back: text, raw bytes, JSON, Kafka serdes; and descriptions of types.
 *
 * <p>It must not know where the bytes come from or go to.
 */
@NullMarked
package dev.weir.codec;

import org.jspecify.annotations.NullMarked;
