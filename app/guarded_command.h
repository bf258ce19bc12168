#pragma once

#include "app/unix_signals.h"
#include "async/event.h"
#include "async/task_group.h"
#include "recipes/fence.h"
#include "workers/guarded_process.h"
#include "zk/coordinator.h"

#include <QCommandLineOption>

#include <optional>

namespace drover::app {

class Context;

// A command that runs while something of the cluster is held: a lock, a lease, a leadership. It shares our terminal.
//
// The command and all that it started are dead before another can hold the same: a drover-runner guards it under a
// lease, which ends a tenth of the session time-out before the session may end, and which this object renews while the
// session lives. So that holds as well when this process is stopped, killed or hangs. A deleted znode and a session
// that has ended end the lease at once.
//
// Ctrl-Z stops the command and, as the shell expects, this process: then nothing renews the lease.
//
// DROVER_FENCE in the command's environment is the fencing token, DROVER_LOCK the holder's znode.
class GuardedCommand
{
public:
    // `what` is held, for messages: "the lock db". All must outlive this object.
    GuardedCommand(Context &context, zk::Coordinator &zk, const recipes::Fence &fence, QString what);
    ~GuardedCommand();

    // Throws CommandError when there is no drover-runner: to be asked before anything is waited for.
    static void requireGuard();
    static QCommandLineOption ownPidsOption();

    void setVariable(const char *name, const QByteArray &value);

    // The command's exit code, 126 if it cannot be executed, 127 if there is none of that name. Throws CommandError if
    // the holding, or the guard, was lost. Once.
    async::Task<int> run(QByteArrayList command);

private:
    using End = workers::GuardedProcess::End;

    void start(const QByteArrayList &command);
    async::Task<void> keepLease();
    async::Task<void> killWhenGone();
    void onSessionState();
    void onStopped(int signal);
    void onSignal(int signal);
    void kill(const QString &why);
    int result(const QByteArray &program) const;
    bool lendTerminal();
    void takeTerminalBack();

    Context &m_context;
    zk::Coordinator &m_zk;
    recipes::Fence m_fence;
    QString m_what;
    QByteArrayList m_variables; // NAME=VALUE, in the place of our own of these names or beside them
    QString m_lost; // why, once it is so
    bool m_signalled = false;
    bool m_lentTerminal = false;
    std::optional<End> m_end;
    async::Event m_ended;
    std::optional<workers::GuardedProcess> m_process;
    UnixSignals::Guard m_guard;
    async::TaskGroup m_background;
    QObject m_watching; // the receiver of signals: those end with this object
};

} // namespace drover::app
