package dev.weir.archfixture.worker;

import org.apache.kafka.clients.admin.NewTopic;

record NamesTopics(NewTopic topic) {}
