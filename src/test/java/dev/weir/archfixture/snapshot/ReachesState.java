package dev.weir.archfixture.snapshot;

import dev.weir.archfixture.state.Store;

record ReachesState(Store store) {}
