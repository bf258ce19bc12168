#pragma once

#include "async/loop.h"
#include "jobs/model/worker_info.h"
#include "posix/file_descriptor.h"

#include <QString>

namespace drover::app {

// The id of a worker that is given none: the host and a number. The spool keeps it (`ids/<id>`, an empty file), so a
// worker that is started again has it again, with its cordon. A lock on that file keeps other workers of the spool from
// it: each of them has an id of its own. Where the file cannot be made, the number is that of this process.
class KeptWorkerId
{
public:
    // Blocks on the file system.
    explicit KeptWorkerId(const QString &spool);

    const QString &id() const { return m_id; }

private:
    bool take(const QString &folder, const QString &id);

    QString m_id;
    posix::FileDescriptor m_lock; // held as long as the worker runs
};

// Tells why a worker does not join: its id is still in the cluster. A line at once, and another one where it does not
// help to wait.
class TakenId
{
public:
    // `spool`: of the worker whose id was kept there; empty if the id was given.
    TakenId(async::Loop &loop, QString id, QString spool, std::chrono::milliseconds sessionTimeout);

    void byLastSession() const;
    void by(const jobs::WorkerInfo &other);
    void noMore() { m_timer.cancel(); }

private:
    void tellOfCopyLater(qint64 pid);

    async::Loop &m_loop;
    QString m_id;
    QString m_spool;
    std::chrono::milliseconds m_sessionTimeout;
    async::Timer m_timer; // runs while a worker of this machine's name has the id
};

} // namespace drover::app
