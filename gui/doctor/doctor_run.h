#pragma once

#include "gui/doctor/findings_model.h"
#include "gui/launch/launch_run.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTimer>

namespace drover::gui {

// Runs `drover doctor`, a process at a time. An answer that does not come within Patience is given up. Forgetting a
// run, and the destructor, end its process. That harms nothing: all that it makes is a node that its session takes with
// it.
class DoctorRun final : public QObject
{
    Q_OBJECT

public:
    static constexpr std::chrono::seconds Patience{30};
    static constexpr std::chrono::seconds Period{10}; // at most one run in it, however often look() is called

    explicit DoctorRun(std::chrono::milliseconds period = Period);
    ~DoctorRun() override;

    FindingsModel &findings() { return m_findings; } // of the last run that has answered
    bool isRunning() const { return m_process != nullptr; }

    // Does nothing while a run goes on, or less than a period after it began.
    void look(const LaunchProgram &program);
    void forget(); // another cluster is shown

Q_SIGNALS:
    void found(); // findings() is current
    void failed(const QString &why); // one line; findings() is as before

private:
    void end();
    void drop(); // the process, without waiting for its end
    void fail(const QString &why);

    const std::chrono::milliseconds m_period;
    FindingsModel m_findings;
    std::unique_ptr<QProcess> m_process; // null: none runs
    QTimer m_patience;
    QElapsedTimer m_begun; // invalid: none has begun for this cluster
};

} // namespace drover::gui
