package dev.weir.archfixture.actuator;

import org.springframework.context.ApplicationContext;

record WiresSpring(ApplicationContext context) {}
