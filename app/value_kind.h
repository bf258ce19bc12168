#pragma once

namespace drover::app {

// What a word of the command line stands for, so that the shell can offer what there is of it.
enum class ValueKind {
    None, // nothing can be offered

    // Here.
    File,
    Directory,
    Program, // and whatever follows is its own
    Shell,
    Signal,
    TimeZone,

    // In the cluster, by name.
    Cluster,
    Queue,
    Worker,
    Label, // that a worker has
    Schedule,
    Lock,
    Limit,
    Election,
    Barrier,
    DoubleBarrier,
    Group,
    Setting,
    Counter,
    Items, // a queue of items
    SharedFile,
    Znode, // by its path
    Tag, // of jobs that have not ended
    JobName, // the same

    // Ids of jobs that are now in such a state.
    UnfinishedJob,
    HeldJob,
    UnheldJob, // waits for others, for a time or for a worker
    UnclaimedJob, // the same, or held
    RunningJob,
    BegunJob, // runs, or has ended
    AnyJob,
    EndedJob, // its record is still in the cluster
    Array,
};

} // namespace drover::app
