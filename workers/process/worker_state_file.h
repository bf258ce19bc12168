#pragma once

#include "workers/process/result_file.h"

#include <QByteArray>
#include <QByteArrayList>
#include <QString>

#include <utility>
#include <vector>

namespace drover::workers {

// A file in the worker's state directory. By it a later worker finds the processes and results of a dead one. It is
// locked (flock) while the worker or its runner lives. Its name is in the environment of every process of the jobs
// (tag()). It holds the results that the cluster may not know yet (result_file.h).
class WorkerStateFile
{
public:
    // Without a directory there is only a name, and no file.
    WorkerStateFile();
    // Creates `folder` if it is missing. Throws std::runtime_error, which says what could not be created.
    explicit WorkerStateFile(const QString &folder);
    WorkerStateFile(const WorkerStateFile &) = delete;
    WorkerStateFile &operator=(const WorkerStateFile &) = delete;
    // Deletes the file, unless keep() was called. The runner must be gone by then.
    ~WorkerStateFile();

    // Keeps the file, because the next worker needs its results, or processes may be left.
    void keep() { m_kept = true; }

    // -1: there is no file. A process with a copy of the descriptor holds the lock.
    int fd() const { return m_fd; }

    // "NAME=value": the variable in the environment of one run's processes.
    QByteArray tag(quint64 run) const;

    // Kills the processes on this machine with one of these tags and waits until they are gone. It does not wait for
    // processes that it may not kill, because they have become another user's. Blocks for some milliseconds, at most 5
    // s; do not call it on a thread that owns a session.
    static void killTagged(QByteArrayList tags);

    // The results and locks of dead owners in the state folder; this process owns them now.
    struct Leftovers {
        std::vector<std::pair<QString, protocol::KeptResult>> results; // each with its file, for remove()
        std::vector<int> locks; // descriptors of these files; the caller closes them
        int killed = 0; // number of processes that still ran
    };

    // Takes over the files in `folder` whose owners are all dead. It kills the processes on this machine that have
    // their tags, waits until they are gone, reads the results, and deletes files without results. Results from before
    // the machine's last start are ignored, because their output may be lost. A file that was not written for a month
    // is deleted, whatever its host. Blocks for some milliseconds, and at most 5 s for a process that cannot die now;
    // its file stays. Do not call it on a thread that owns a session.
    static Leftovers takeOver(const QString &folder);
    // The results in all files of `folder`, also of living owners, known to the cluster or not. Takes over no file.
    // Blocks.
    static std::vector<protocol::KeptResult> allResults(const QString &folder);
    // Deletes the file of a dead owner, after its last result was acknowledged.
    static void remove(const QString &path);

private:
    QByteArray m_name; // <host>-<boot>-<uuid>, as machines may share the directory
    QString m_path;
    int m_fd = -1;
    bool m_kept = false;
};

} // namespace drover::workers
