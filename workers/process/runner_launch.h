#pragma once

#include <QByteArrayList>
#include <QString>

#include <vector>

#include <sys/types.h>

namespace drover::workers {

// Which processes a job can see and signal.
enum class ProcessView {
    Own, // only its worker's, if namespaces are permitted; else all
    Machine, // all
};

struct LaunchedRunner {
    pid_t pid = 0; // in this process's pid namespace
    bool ownPids = false; // it has a pid namespace: its children die with it
};

struct RunnerLaunch {
    struct Descriptor {
        int own; // this process's descriptor, which stays open; -1: none
        int number; // its number in the runner
    };

    QString program;
    QByteArrayList arguments{}; // after the program's name
    QByteArrayList environment{}; // "NAME=value", all of it
    std::vector<Descriptor> descriptors{};
    ProcessView view = ProcessView::Own;
};

// Starts a drover-runner. It begins with every signal blocked.
//
// With ProcessView::Own, if that is permitted (CAP_SYS_ADMIN), the runner is process 1 of a new pid namespace with its
// own /proc. It dies with the calling thread, and whenever it dies the kernel kills all its processes. Its mounts
// follow the machine's except for /proc; a job's mounts are visible only to the jobs. Otherwise the runner is an
// ordinary process.
//
// Throws RunnerDied.
LaunchedRunner launchRunner(const RunnerLaunch &launch);

// Throws RunnerDied: the program could not be started, because of this errno.
[[noreturn]] void failToLaunch(const QString &program, int error);

} // namespace drover::workers
