#pragma once

#include "app/cli/arguments.h"
#include "workers/attempts/worker_options.h"

namespace drover::app {

// What the owner of a machine lets a worker do there: a TOML file. packaging/worker.toml explains each key. An option of
// the command line wins over the key of the same name.
struct WorkerPolicy {
    QString file; // empty: there is none
    QByteArrayList queues{};
    std::optional<int> slotCount{};
    std::optional<qint64> memory{}; // bytes
    std::optional<qint64> maxProcesses{};
    workers::JobBounds bounds{};
    workers::JobPolicy jobs{};
    bool allowRoot = false;
    bool allowSetuid = false;

    // Reads --policy FILE, nothing for `none`, or /etc/drover/worker.toml if that exists. Throws UsageError, which
    // begins with "FILE:LINE: ", for an unknown key, a value of another type, and a path or user that this machine has
    // not. Throws it also for a file that others than root and this process's user may write. Blocks while it looks up
    // users.
    static WorkerPolicy read(const Arguments &arguments);
};

// The limits of some options and keys.
constexpr int MostSlots = 10'000;
constexpr qint64 MostProcesses = 4'194'304; // the kernel's own limit

} // namespace drover::app
