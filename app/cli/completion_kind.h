#pragma once

namespace drover::app {

// The kind of a word on the command line, for which the shell offers the existing names.
enum class CompletionKind {
    None, // nothing can be offered

    // On this machine:
    File,
    Directory,
    Program, // the words after it belong to the program
    Shell,
    Signal,
    TimeZone,

    // Names in the cluster:
    Cluster,
    Queue,
    Worker,
    Label, // a label of a worker
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
    Tag, // a tag of unfinished jobs
    JobName, // a name of unfinished jobs

    // Ids of jobs that are in this state now:
    UnfinishedJob,
    HeldJob,
    UnheldJob, // it waits for other jobs, a time or a worker
    UnclaimedJob, // it waits, or is held
    RunningJob,
    BegunJob, // it runs, or has ended
    AnyJob,
    EndedJob, // its record is still in the cluster
    Array,
};

} // namespace drover::app
