package dev.weir.archfixture.testkit;

import org.springframework.context.ApplicationContext;

record WiresSpring(ApplicationContext context) {}
