package dev.weir.archfixture.kafka;

import org.rocksdb.Options;

record OpensRocksDb(Options options) {}
