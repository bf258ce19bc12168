#pragma once

#include "workers/result_slots.h"

#include <QByteArray>
#include <QByteArrayList>
#include <QString>

#include <utility>
#include <vector>

namespace drover::workers {

// Tells what a worker process has started from all else, also after its death: a file in the worker's state directory
// that is locked (flock) as long as the worker or its runner lives, and whose name is in the environment of every
// process of its jobs. In it are the results that the cluster may not know yet (result_slots.h).
class RunFile
{
public:
    // Of no directory: there is only the name.
    RunFile();
    // Makes `folder` where it is missing. Throws std::runtime_error, which says what could not be made.
    explicit RunFile(const QString &folder);
    RunFile(const RunFile &) = delete;
    RunFile &operator=(const RunFile &) = delete;
    // Deletes the file, unless keep() was called: by now the runner must be gone.
    ~RunFile();

    // There are results in it that the next worker is to find, or processes may be left.
    void keep() { m_kept = true; }

    // -1: there is no file. Whoever has a copy holds the lock.
    int fd() const { return m_fd; }

    // "NAME=value": what the processes of one run have in their environment.
    QByteArray mark(quint64 run) const;

    // Kills the processes on this machine with one of these marks, and waits until they are gone, but not for what it
    // may not kill: what has become another user's. Blocks: some milliseconds, at most 5 s. Any thread, but one that
    // owns a session.
    static void killMarked(QByteArrayList marks);

    // What dead owners have left in the state folder, ours from now on.
    struct Estate {
        std::vector<std::pair<QString, protocol::KeptResult>> results; // each with its file: for bury()
        std::vector<int> locks; // of these files, for the caller to close
        int killed = 0; // processes that still ran
    };

    // Takes over the files in `folder` whose owners are all dead: kills the processes on this machine that carry their
    // names, waits until they are gone, reads the results, and deletes files that have none. Results from before the
    // machine's last start are not believed, because what belongs to them may be lost. Blocks: some milliseconds, and
    // at most 5 s for a process that cannot die now; its file stays. Not for a thread that owns a session.
    static Estate takeOver(const QString &folder);
    // The results in all files there, of the living too, known to the cluster or not. Takes nothing over. Blocks.
    static std::vector<protocol::KeptResult> allResults(const QString &folder);
    // Its last result is settled.
    static void bury(const QString &path);

private:
    QByteArray m_name; // <host>-<start of the machine>-<uuid>: the directory may be that of other machines too
    QString m_path;
    int m_fd = -1;
    bool m_kept = false;
};

} // namespace drover::workers
