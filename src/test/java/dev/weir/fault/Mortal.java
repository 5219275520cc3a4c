package dev.weir.fault;

import dev.weir.kafka.Clients;
import dev.weir.snapshot.ObjectStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;

/**
 * The clients and the store of one life of a service. After its death nothing goes out through them any more and everything that is
 * asked of them ends in {@link Died}; no transaction is ended, no group is left, nothing is committed by it.
 */
final class Mortal {

    private volatile boolean dead;
    private final Queue<Consumer<byte[], byte[]>> consumers = new ConcurrentLinkedQueue<>();
    private final Queue<Producer<byte[], byte[]>> producers = new ConcurrentLinkedQueue<>();
    private final Queue<Admin> admins = new ConcurrentLinkedQueue<>();

    Clients clients() {
        return new Clients(
                properties -> {
                    var real = new KafkaConsumer<byte[], byte[]>(properties);
                    consumers.add(real);
                    return proxy(Consumer.class, real);
                },
                properties -> {
                    var real = new KafkaProducer<byte[], byte[]>(properties);
                    producers.add(real);
                    return proxy(Producer.class, real);
                },
                properties -> {
                    var real = Admin.create(properties);
                    admins.add(real);
                    return proxy(Admin.class, real);
                });
    }

    ObjectStore store(ObjectStore real) {
        return proxy(ObjectStore.class, real);
    }

    boolean isDead() {
        return dead;
    }

    /** From now on nothing goes out. */
    void die() {
        dead = true;
        producers.forEach(producer -> producer.close(Duration.ZERO));
        consumers.forEach(Consumer::wakeup);
    }

    /** Ends the connections, once no thread uses the clients any more. */
    void bury() {
        for (var consumer : consumers) {
            consumer.close(CloseOptions.groupMembershipOperation(GroupMembershipOperation.REMAIN_IN_GROUP)
                    .withTimeout(Duration.ZERO));
        }
        admins.forEach(admin -> admin.close(Duration.ZERO));
    }

    // The interface is what is proxied, whatever its type arguments.
    @SuppressWarnings("unchecked")
    private <T> T proxy(Class<? super T> type, T real) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            requireAlive();
            var given = arguments;
            if (method.getName().equals("subscribe") && given.length == 2) {
                given = new Object[] {given[0], whileAlive((ConsumerRebalanceListener) given[1])};
            }
            try {
                var result = method.invoke(real, given);
                requireAlive();
                return result;
            } catch (InvocationTargetException e) {
                requireAlive();
                throw e.getCause() == null ? e : e.getCause();
            }
        };
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private void requireAlive() {
        if (dead) {
            throw new Died();
        }
    }

    private ConsumerRebalanceListener whileAlive(ConsumerRebalanceListener real) {
        return new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                if (!dead) {
                    real.onPartitionsAssigned(partitions);
                }
            }

            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                if (!dead) {
                    real.onPartitionsRevoked(partitions);
                }
            }

            @Override
            public void onPartitionsLost(Collection<TopicPartition> partitions) {
                if (!dead) {
                    real.onPartitionsLost(partitions);
                }
            }
        };
    }
}
