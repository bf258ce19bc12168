#pragma once

#include "app/cli/command.h"
#include "app/cli/unix_signals.h"
#include "async/event.h"
#include "async/task_group.h"
#include "recipes/blocks/fence.h"
#include "workers/process/guarded_process.h"
#include "zk/client.h"

#include <QCommandLineOption>

#include <optional>

namespace drover::app {

class Context;

// Runs a command while a lock, a semaphore's lease or a leadership is held. The command shares our terminal.
//
// The command and all its descendants are dead before another client can hold the lock. A drover-runner guards them
// under a lease, which ends a tenth of the session time-out before the session may end. This object renews the lease
// while the session lives. So the guarantee holds even if this process is stopped, killed or hangs. If the znode is
// deleted or the session ends, the lease ends at once.
//
// Ctrl-Z stops the command and, as the shell expects, this process: then nothing renews the lease.
//
// A revocable lock is given up when a contender asks for it (recipes/locks/revocation.h). The command gets SIGTERM. If
// it has not ended after the grace, it is killed as if the lock was lost.
//
// DROVER_FENCE in the command's environment is the fencing token, DROVER_LOCK the holder's znode. By DROVER_LOCK_OWNER
// a drover that the command starts tells the console within whose lock it waits for another.
class CommandUnderLock
{
public:
    // `what` names the held lock in messages: "the lock db". All arguments must outlive this object.
    CommandUnderLock(Context &context, zk::Client &zk, const recipes::Fence &fence, QString what);
    ~CommandUnderLock();

    static QCommandLineOption ownPidsOption();
    static QList<Command::ExitMeaning> exits(); // what run() returns

    void setVariable(const char *name, const QByteArray &value);
    void setRevocable(std::chrono::milliseconds grace) { m_grace = grace; } // only for the recipes of a lock

    // Returns the command's exit code, 126 if it cannot be executed, 127 if it was not found. Throws CommandError if
    // the lock or the guard was lost. Call it once.
    async::Task<int> run(QByteArrayList command);

private:
    using End = workers::GuardedProcess::End;

    void start(const QByteArrayList &command);
    async::Task<void> keepLease();
    async::Task<void> killWhenGone();
    async::Task<void> endWhenAsked(std::chrono::milliseconds grace);
    void onSessionState();
    void onStopped(int signal);
    void onSignal(int signal);
    void kill(const QString &why);
    int result(const QByteArray &program) const;
    bool lendTerminal();
    void takeTerminalBack();

    Context &m_context;
    zk::Client &m_zk;
    recipes::Fence m_fence;
    QString m_what;
    QByteArrayList m_variables; // NAME=VALUE, set for the command
    QString m_lost; // why the lock or guard was lost; empty: not lost
    std::optional<std::chrono::milliseconds> m_grace; // nothing: requests for the lock are ignored
    bool m_signalled = false;
    bool m_lentTerminal = false;
    std::optional<End> m_end;
    async::Event m_ended;
    std::optional<workers::GuardedProcess> m_process;
    UnixSignals::Guard m_guard;
    async::TaskGroup m_background;
    QObject m_watching; // receives signals as long as this object lives
};

} // namespace drover::app
