#pragma once

#include <QByteArray>
#include <QString>

namespace drover::workers {

// Tells what a worker process has started from all else, also after its death: a file in the worker's state directory
// that is locked (flock) as long as the worker or its runner lives, and whose name is in the environment of every
// process of its jobs. Nothing is written to it that a power cut could spoil.
class RunFile
{
public:
    // Of no directory: there is only the name.
    RunFile();
    // Makes `folder` where it is missing. Throws std::runtime_error, which says what could not be made.
    explicit RunFile(const QString &folder);
    RunFile(const RunFile &) = delete;
    RunFile &operator=(const RunFile &) = delete;
    // Deletes the file: by now the runner must be gone.
    ~RunFile();

    // -1: there is no file. Whoever has a copy holds the lock.
    int fd() const { return m_fd; }

    // "NAME=value": what the processes of one run have in their environment.
    QByteArray mark(quint64 run) const;

    // Kills the processes on this machine that carry the names of files in `folder` whose owners are all dead, waits
    // until they are gone, and deletes those files. Returns how many were killed. Blocks: some milliseconds, and at
    // most 5 s for a process that cannot die now; its file stays. Not for a thread that owns a session.
    static int killLeftovers(const QString &folder);

private:
    QByteArray m_name; // <host>-<uuid>: the processes are this machine's, the directory may be others' too
    QString m_path;
    int m_fd = -1;
};

} // namespace drover::workers
