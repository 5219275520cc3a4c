package dev.weir.archfixture.state.rocks;

import org.rocksdb.Options;

record OpensRocksDb(Options options) {}
