#pragma once

#include "workers/run_file.h"
#include "workers/runner.h"
#include "workers/runner_start.h"

#include <QObject>

#include <map>
#include <memory>
#include <optional>

namespace drover::workers {

class RunnerProcess;

// The Runner whose work is done by a drover-runner process: started at the first run(), and again at the next run()
// after it has died. Destroying this kills every job; the futures then fail with RunnerDied.
class ProcessRunner final : public QObject, public Runner
{
    Q_OBJECT

public:
    // Where drover-runner is: $DROVER_BIN_DIR, beside this program, or ../libexec/drover from it.
    static QString findProgram();

    struct Options {
        QString program = findProgram();
        // Absolute; for what outlives this process (RunFile). Empty: nothing does.
        QString stateFolder{};
        ProcessView view = ProcessView::Own;
    };

    // Kills first what the dead owners of the state folder have left on this machine, and blocks so long. Throws
    // RunnerDied when there is no memory to share with the runner, std::runtime_error when the state folder cannot be
    // used.
    ProcessRunner();
    explicit ProcessRunner(Options options);
    ~ProcessRunner() override;

    Running run(Command command) override;
    void signal(Token token, int number) override;
    void kill(Token token, async::Duration grace) override;
    void recall(Token token) override;
    void killRunner() override;
    void setLease(async::TimePoint until) override;
    std::vector<KeptRun> kept() const override;
    void settle(Token token) override;

    // 0: there is none now.
    pid_t runnerPid() const;

    // Of jobs that a dead worker and a dead runner had left, found at the beginning.
    int leftoversKilled() const { return m_estate.killed; }

Q_SIGNALS:
    // Told before the futures fail.
    void died(const QString &reason);

private:
    struct Pending;
    using PendingRuns = std::map<Token, Pending>;
    class SharedLease;

    RunnerProcess &process();
    void onReceived(std::string_view bytes);
    void send(Token token, std::string message);
    void onStarted(const protocol::Started &message);
    void onFinished(protocol::Finished message);
    void onDied(const QString &reason);
    static void failAll(PendingRuns runs, const std::exception_ptr &error);
    static void failOnceKilled(PendingRuns runs, QByteArrayList marks, const std::exception_ptr &error);

    quint32 freeSlot() const;

    struct KeptHere {
        KeptRun kept;
        std::optional<quint32> slot; // nothing: it is a dead owner's, in this file
        QString file{};
    };

    const Options m_options;
    const RunFile::Estate m_estate;
    RunFile m_run;
    std::map<Token, KeptHere> m_kept;
    const std::unique_ptr<SharedLease> m_lease;
    std::unique_ptr<RunnerProcess> m_process;
    PendingRuns m_pending;
    Token m_lastToken = 0;
};

} // namespace drover::workers
