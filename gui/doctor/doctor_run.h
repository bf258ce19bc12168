#pragma once

#include "gui/doctor/findings_model.h"
#include "gui/launch/launch_run.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTimer>

namespace drover::gui {

// Runs `drover doctor`, a process at a time. An answer that does not come within Patience is given up. The destructor
// ends a process that still runs: it changes nothing.
class DoctorRun final : public QObject
{
    Q_OBJECT

public:
    static constexpr std::chrono::seconds Patience{30};
    static constexpr std::chrono::seconds Period{10}; // at most one run in it, however often somebody asks

    explicit DoctorRun(QObject *parent = nullptr);
    ~DoctorRun() override;

    FindingsModel &findings() { return m_findings; }

    // Does nothing while a run goes on, or less than Period after it began.
    void look(const LaunchProgram &program);
    void forget(); // another cluster is shown

Q_SIGNALS:
    void found(); // findings() is current
    void failed(const QString &why); // one line; findings() is empty

private:
    void end();
    void drop(); // the process, without waiting for its end
    void fail(const QString &why);

    FindingsModel m_findings;
    std::unique_ptr<QProcess> m_process; // null: none runs
    QTimer m_patience;
    QElapsedTimer m_begun; // invalid: none has begun for this cluster
};

} // namespace drover::gui
