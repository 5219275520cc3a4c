/**
 * Faults on purpose, one by one, against services made of the production parts on a real broker, a real RocksDB and a real store.
 *
 * <p>It must not know Spring, nor how the parts that it breaks work inside.
 */
@NullMarked
package dev.weir.fault;

import org.jspecify.annotations.NullMarked;
