#pragma once

#include "posix/file_descriptor.h"

#include <QString>

#include <optional>

namespace drover::app {

// The data of a running `drover up` for other commands: a file in the runtime directory. It is valid as long as its
// writer holds a lock (flock) on the file beside it. The kernel releases the lock when that process ends in any way, so
// a stale file is never used.
struct UpState {
    QString connect;
    qint64 pid = 0;
    QString history; // the value of --history; empty: no history

    // The state of the `drover up` that runs now; nothing until it serves.
    static std::optional<UpState> running();
    // The pid of the `drover up` that runs now, also while it starts; 0: none. It may block for 100 ms, until that
    // process has written its pid. It never returns the pid of a process that has ended.
    static qint64 holder();
};

// Makes this process the only `drover up` of its user, as long as this object lives.
class UpLock
{
public:
    // Throws CommandError: WrongState if another runs, Error if the directory cannot be written.
    UpLock();
    UpLock(const UpLock &) = delete;
    UpLock &operator=(const UpLock &) = delete;
    ~UpLock();

    void publish(const UpState &state); // throws CommandError if the file cannot be written

private:
    posix::FileDescriptor m_lock;
};

} // namespace drover::app
