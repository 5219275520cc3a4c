package dev.weir.archfixture.example;

import org.apache.kafka.clients.admin.NewTopic;

record NamesTopics(NewTopic topic) {}
