package dev.weir.archfixture.util;

final class Text {}
