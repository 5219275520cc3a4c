package dev.weir.archfixture.worker;

final class TaskManager {}
