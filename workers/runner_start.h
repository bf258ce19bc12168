#pragma once

#include <QByteArrayList>
#include <QString>

#include <vector>

#include <sys/types.h>

namespace drover::workers {

// Which processes a job can see and signal.
enum class ProcessView {
    Own, // those of its worker alone, where this process may arrange that; else all
    Machine, // all
};

struct RunnerStart {
    pid_t pid = 0; // as this process numbers it
    bool ownPids = false; // it is process 1 of a pid namespace: what it starts dies with it, whatever happens
};

struct RunnerLaunch {
    struct Descriptor {
        int own; // this process's, which keeps it; -1: the runner has none of that number
        int number; // what it is in the runner
    };

    QString program;
    QByteArrayList arguments{}; // behind the program's name
    QByteArrayList environment{}; // "NAME=value"; empty: this process's
    std::vector<Descriptor> descriptors{};
    ProcessView view = ProcessView::Own;
};

// Starts a drover-runner. It begins with every signal blocked.
//
// With a view of their own, where that is permitted (CAP_SYS_ADMIN), the runner is process 1 of a new pid namespace
// with a /proc of its own: when it dies, for whatever reason, the kernel kills every process of it, and it dies with
// the calling thread. Its mounts follow the machine's but for /proc; what a job mounts is seen by the jobs alone.
// Otherwise it is a process like any other.
//
// Throws RunnerDied.
RunnerStart startRunner(const RunnerLaunch &launch);

} // namespace drover::workers
