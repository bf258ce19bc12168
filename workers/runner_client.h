#pragma once

#include "workers/runner.h"

#include <QObject>

#include <map>
#include <memory>

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

    // Throws RunnerDied when there is no memory to share with the runner.
    explicit ProcessRunner(QString program = findProgram());
    ~ProcessRunner() override;

    Running run(Command command) override;
    void signal(Token token, int number) override;
    void kill(Token token, async::Duration grace) override;
    void setLease(async::TimePoint until) override;

    // 0: there is none now.
    pid_t runnerPid() const;

Q_SIGNALS:
    // Told before the futures fail.
    void died(const QString &reason);

private:
    struct Pending;
    using PendingRuns = std::map<Token, Pending>;
    class SharedLease;

    RunnerProcess &process();
    void onReceived(std::string_view bytes);
    void onStarted(const protocol::Started &message);
    void onFinished(protocol::Finished message);
    void onDied(const QString &reason);
    static void failAll(PendingRuns runs, const QString &reason);

    const QString m_program;
    const std::unique_ptr<SharedLease> m_lease;
    std::unique_ptr<RunnerProcess> m_process;
    PendingRuns m_pending;
    Token m_lastToken = 0;
};

} // namespace drover::workers
