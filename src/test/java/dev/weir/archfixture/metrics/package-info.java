/** A package that keeps the rules, unlike its neighbours. */
@NullMarked
package dev.weir.archfixture.metrics;

import org.jspecify.annotations.NullMarked;
