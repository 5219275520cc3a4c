/**
 * The object store on Amazon S3, or on a server that speaks its protocol.
 *
 * <p>It must not know what the objects are.
 */
@NullMarked
package dev.weir.snapshot.s3;

import org.jspecify.annotations.NullMarked;
