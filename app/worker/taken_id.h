#pragma once

#include "async/loop.h"
#include "jobs/model/worker_info.h"

#include <QString>

namespace drover::app {

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
