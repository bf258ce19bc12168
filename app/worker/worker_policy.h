#pragma once

#include "app/cli/arguments.h"
#include "app/cluster/listen_address.h"
#include "workers/attempts/worker_options.h"

#include <QMap>

#include <sys/types.h>

namespace drover::app {

// What the owner of a machine says about a worker there, and lets its jobs do: a TOML file. packaging/worker.toml
// explains each key. An option of the command line wins over the key of the same name.
struct WorkerPolicy {
    QString file; // empty: there is none
    QByteArrayList queues{};
    std::optional<int> slotCount{};
    std::optional<qint64> memory{}; // bytes
    QStringList labels{};
    QString id; // empty: not configured
    QString spool; // absolute; empty: not configured
    workers::SpoolLimits spoolLimits{};
    qint64 logSize = 0; // bytes of the file that standard error is; 0: no limit
    QString listen; // a ListenAddress; empty: not configured
    QString advertise; // empty: not configured
    QString history; // a file, postgresql://... or "none"; empty: not configured
    std::optional<std::chrono::milliseconds> sessionTimeout{};
    std::optional<std::chrono::milliseconds> grace{};
    QString jobCredentials; // an absolute path; empty: none
    std::optional<mode_t> umask{};
    std::optional<qint64> maxProcesses{};
    workers::JobBounds bounds{};
    workers::JobPolicy jobs{};
    bool hostPids = false;
    bool allowRoot = false;
    bool allowSetuid = false;

    // Reads --policy FILE, nothing for `none`, or /etc/drover/worker.toml if that exists; and --default for the keys
    // that it does not have. Throws UsageError, which
    // begins with "FILE:LINE: ", for an unknown key, a value of another type, and a path or user that this machine has
    // not. Throws it also for a file that others than root and this process's user may write. Blocks while it looks up
    // users.
    static WorkerPolicy read(const Arguments &arguments);

    // All that is wrong with a file, and what it says.
    struct Checked;
    // Reads the file as read() does. Throws only if it cannot be read at all.
    static Checked check(const QString &file);
};

struct WorkerPolicy::Checked {
    // A key of the file, as it stands there.
    struct Said {
        QString value;
        QString where; // "FILE:LINE"
    };

    QStringList wrong; // each begins with "FILE:LINE: "
    QMap<QString, Said> said; // by the name with underscores
    WorkerPolicy policy; // without what is wrong

    // Takes each KEY=VALUE whose key the file does not have; of equal keys the last counts. A value is as in the file,
    // or a text without quotation marks. What is wrong begins with "--default: ".
    void addDefaults(QStringList defaults);
};

// The worker's file that counts if none is named.
QString usualPolicyFile();

// The limits of some options and keys.
constexpr int MostSlots = 10'000;
constexpr qint64 MostProcesses = 4'194'304; // the kernel's own limit
constexpr qint64 LeastLog = 64 * 1024; // bytes

// Values that an option and a key have in common. `what` begins the message of the UsageError that a bad one throws.
// Labels with commas between them.
QStringList parseLabels(const QString &text, const QString &what);
// What the files that jobs make lack: explicit, so that it does not depend on the shell that starts the worker.
mode_t parseUmask(const QString &text, const QString &what);
std::chrono::milliseconds parseSessionTimeout(const QString &text, const QString &what);

} // namespace drover::app
