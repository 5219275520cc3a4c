package dev.weir.archfixture.unlisted;

final class Stray {}
