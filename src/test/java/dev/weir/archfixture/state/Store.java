package dev.weir.archfixture.state;

public final class Store {}
