package dev.weir.archfixture.worker;

import java.io.ObjectInputStream;

record SerializesJava(ObjectInputStream stream) {}
