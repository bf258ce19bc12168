#pragma once

#include <QString>

#include <memory>
#include <optional>

namespace drover::app {

// What a running `drover up` tells the other commands: a file in the runtime directory, valid as long as its maker
// holds a lock (flock) on the file beside it. The kernel drops the lock however that process ends, so a stale file is
// never believed.
struct UpState {
    QString connect;
    qint64 pid = 0;
    QString history; // as given to --history; empty: none

    // The `drover up` that runs now, once it serves.
    static std::optional<UpState> running();
    // The same, also while it is still starting: its process, or 0.
    static qint64 holder();
};

// Being the one `drover up` of this user; ends with this object.
class UpLock
{
public:
    // Throws CommandError: WrongState if another runs, Error if the directory cannot be written.
    UpLock();
    UpLock(const UpLock &) = delete;
    UpLock &operator=(const UpLock &) = delete;
    ~UpLock();

    void publish(const UpState &state);

private:
    int m_fd = -1;
};

} // namespace drover::app
