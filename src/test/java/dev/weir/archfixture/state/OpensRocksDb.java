package dev.weir.archfixture.state;

import org.rocksdb.Options;

record OpensRocksDb(Options options) {}
