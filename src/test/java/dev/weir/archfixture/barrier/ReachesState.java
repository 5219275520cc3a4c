package dev.weir.archfixture.barrier;

import dev.weir.archfixture.state.Store;

record ReachesState(Store store) {}
