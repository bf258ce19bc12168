#include "app/worker/taken_id.h"

#include "app/cli/output.h"

#include <QSysInfo>

namespace drover::app {

TakenId::TakenId(async::Loop &loop, QString id, QString spool, std::chrono::milliseconds sessionTimeout)
    : m_loop(loop), m_id(std::move(id)), m_spool(std::move(spool)), m_sessionTimeout(sessionTimeout)
{
}

void TakenId::byLastSession() const
{
    Output::message(QStringLiteral("worker %1: waiting for the end of its last session").arg(m_id));
}

void TakenId::by(const jobs::WorkerInfo &other)
{
    if (!m_spool.isEmpty() && other.host == QSysInfo::machineHostName()) {
        byLastSession();
        tellOfCopyLater(other.pid);
        return;
    }
    Output::message(QStringLiteral("worker %1: id %1 is taken by %2 pid %3, waiting; choose another with --id")
                        .arg(m_id, other.host, QString::number(other.pid)));
}

// The last session of this worker ends within its time-out. That of a copy of this machine, with the same spool and the
// same name, does not.
void TakenId::tellOfCopyLater(qint64 pid)
{
    m_timer = m_loop.after(2 * m_sessionTimeout, [this, pid] {
        Output::message(QStringLiteral("worker %1: process %2 still has the id %1: if this machine is a copy of "
                                       "another, give it another name by --id, or remove %3/ids and start again")
                            .arg(m_id, QString::number(pid), m_spool));
    });
}

} // namespace drover::app
