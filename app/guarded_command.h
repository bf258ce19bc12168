#pragma once

#include "app/child_process.h"
#include "app/unix_signals.h"
#include "async/loop.h"
#include "async/task_group.h"
#include "recipes/fence.h"
#include "zk/coordinator.h"

namespace drover::app {

class Context;

// A command that runs while something of the cluster is held: a lock, a lease, a leadership. It shares our terminal.
// When the holding is lost (its znode deleted, the session ended) or could be lost soon (no server has answered for
// almost the session time-out), its process group is killed before another can hold the same.
//
// DROVER_FENCE in its environment is the fencing token, DROVER_LOCK the holder's znode.
class GuardedCommand
{
public:
    // `what` is held, for messages: "the lock db". All must outlive this object.
    GuardedCommand(Context &context, zk::Coordinator &zk, const recipes::Fence &fence, QString what);

    void setVariable(const char *name, const QByteArray &value) { m_command.setVariable(name, value); }

    // The command's exit code, 127 if it cannot be started. Throws CommandError if the holding was lost. Once.
    async::Task<int> run(QByteArrayList command);

private:
    void onSessionState();
    async::Task<void> killWhenGone();
    void kill(const QString &why);
    void onSignal(int signal);

    Context &m_context;
    zk::Coordinator &m_zk;
    recipes::Fence m_fence;
    QString m_what;
    QString m_lost; // why, once it is so
    bool m_signalled = false;
    async::Timer m_deadline;
    ChildProcess m_command;
    UnixSignals::Guard m_guard;
    async::TaskGroup m_background;
    QObject m_watching; // the receiver of the session's signals: those end with this object
};

} // namespace drover::app
