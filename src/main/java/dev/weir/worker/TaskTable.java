package dev.weir.worker;

import dev.weir.topology.TaskId;
import dev.weir.topology.TopicPartition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The tasks of a thread. Owned by the thread. */
final class TaskTable {

    private final Map<TaskId, Task> byId = new TreeMap<>();
    private final Map<TopicPartition, Task> byPartition = new TreeMap<>();

    void add(Task task) {
        byId.put(task.id, task);
        task.partitions.forEach(partition -> byPartition.put(partition, task));
    }

    void remove(Task task) {
        byId.remove(task.id);
        task.partitions.forEach(byPartition::remove);
    }

    @Nullable
    Task find(TaskId id) {
        return byId.get(id);
    }

    @Nullable
    Task find(TopicPartition partition) {
        return byPartition.get(partition);
    }

    /** Whether this very task, not a later one of the same id, is still here. */
    boolean holds(Task task) {
        return byId.get(task.id) == task;
    }

    Collection<Task> all() {
        return byId.values();
    }

    Map<TopicPartition, Task> byPartition() {
        return byPartition;
    }

    /** Tasks whose positions an epoch's transaction carries. */
    List<Task> carried() {
        var carried = new ArrayList<Task>(byId.size());
        for (var task : byId.values()) {
            if (task.isCarried()) {
                carried.add(task);
            }
        }
        return carried;
    }

    /** Tasks that read any of the partitions. */
    Set<Task> of(Collection<TopicPartition> partitions) {
        var tasks = new LinkedHashSet<Task>();
        for (var partition : partitions) {
            var task = byPartition.get(partition);
            if (task != null) {
                tasks.add(task);
            }
        }
        return tasks;
    }
}
