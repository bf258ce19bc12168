#pragma once

#include "workers/process/runner.h"
#include "workers/process/runner_launch.h"
#include "workers/process/worker_state_file.h"

#include <QObject>

#include <map>
#include <memory>
#include <optional>

namespace drover::workers {

class RunnerChild;

// The Runner whose work is done by a drover-runner process: started at the first run(), and again at the next run()
// after it has died. Destroying this kills every job; the futures then fail with RunnerDied.
class RunnerClient final : public QObject, public Runner
{
    Q_OBJECT

public:
    // Where drover-runner is: beside this program, ../libexec/drover from it, or, for programs that were not installed,
    // in $DROVER_BIN_DIR.
    static QString findProgram();

    struct Options {
        QString program = findProgram();
        // Absolute path of the folder for results that outlive this process (WorkerStateFile). Empty: results are not
        // kept.
        QString stateFolder{};
        ProcessView view = ProcessView::Own;
        // Jobs may gain privileges by set-user-ID programs and file capabilities (sudo, ping). Otherwise the kernel
        // keeps them from it: PR_SET_NO_NEW_PRIVS.
        bool allowSetuid = false;
        // Processes and threads of all jobs together, where control groups are available. 0: no limit.
        qint64 maxProcesses = 0;
    };

    // First kills the processes that dead owners of the state folder have left on this machine, and blocks meanwhile.
    // Throws RunnerDied if there is no memory to share with the runner, and std::runtime_error if the state folder
    // cannot be used.
    RunnerClient();
    explicit RunnerClient(Options options);
    ~RunnerClient() override;

    RunHandle run(Command command) override;
    void signal(RunId runId, int number) override;
    void kill(RunId runId, async::Duration grace) override;
    void recall(RunId runId) override;
    void killRunner() override;
    void setLease(async::TimePoint until) override;
    std::vector<KeptResult> kept() const override;
    void acknowledge(RunId runId) override;

    // 0: no runner runs now.
    pid_t runnerPid() const;

    // How many processes of dead workers and runners were killed when this object was made.
    int leftoversKilled() const { return m_leftovers.killed; }

Q_SIGNALS:
    // Emitted before the futures fail.
    void died(const QString &reason);

private:
    struct Pending;
    using PendingRuns = std::map<RunId, Pending>;
    class SharedLease;

    RunnerChild &process();
    void onReceived(std::string_view bytes);
    void send(RunId runId, std::string message);
    void onStarted(const Started &message);
    void onFinished(Outcome outcome);
    void onDied(const QString &reason);
    static void failAll(PendingRuns runs, const std::exception_ptr &error);
    static void failOnceKilled(PendingRuns runs, QByteArrayList tags, const std::exception_ptr &error);

    quint32 freeResultIndex() const;

    struct KeptHere {
        KeptResult result;
        std::optional<quint32> resultIndex; // not set: a dead owner's result, in this file
        QString file{};
    };

    const Options m_options;
    const WorkerStateFile::Leftovers m_leftovers;
    WorkerStateFile m_stateFile;
    std::map<RunId, KeptHere> m_kept;
    const std::unique_ptr<SharedLease> m_lease;
    std::unique_ptr<RunnerChild> m_process;
    PendingRuns m_pending;
    RunId m_lastRunId = 0;
};

} // namespace drover::workers
