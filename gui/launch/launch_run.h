#pragma once

#include "gui/data/snapshots.h"
#include "gui/launch/launch_rows.h"

#include <QDeadlineTimer>
#include <QProcess>

#include <functional>
#include <memory>

namespace drover::gui {

// How `drover` is called for a cluster: the program, and the options that name the cluster and the credentials.
struct LaunchProgram {
    QString program;
    QStringList options;
    QString refusal{}; // why nothing can be launched from here; empty: it can
};
using LaunchPrograms = std::function<LaunchProgram(const Target &)>;

// One `drover launch`, as a process. The rows are for each host what it has said last. The destructor interrupts it and
// waits for its end, but no longer than Patience after the first interrupt. Then it lets the process end by itself: an
// upgrade may still have its cordon to take back.
class LaunchRun final : public QObject
{
    Q_OBJECT

public:
    enum class End { Good, Bad, Interrupted };
    Q_ENUM(End)
    static constexpr std::chrono::seconds Patience{5}; // for the end of a process that was interrupted
    static constexpr qsizetype LongestLine = 64 * 1024; // bytes; the rest of a longer one is not read

    explicit LaunchRun(QObject *parent = nullptr);
    ~LaunchRun() override;

    LaunchRows &rows() { return m_rows; }
    bool isRunning() const { return m_process->state() != QProcess::NotRunning; }

    // Forgets the rows of the last. `verb`: start, status, stop, restart or upgrade.
    void start(const LaunchProgram &program, const QString &hostsFile, const QString &verb);
    // By SIGTERM: an upgrade takes back its cordon and ends where it is, any other verb ends at once.
    void interrupt();
    void forget() { m_rows.clear(); } // what the last has said

Q_SIGNALS:
    // `complaint`: what the program has written to its standard error, its first lines; empty: nothing.
    void ended(End end, const QString &complaint);

private:
    void read();
    void end();

    LaunchRows m_rows;
    std::unique_ptr<QProcess> m_process;
    QDeadlineTimer m_patience; // with the process that was interrupted
    QByteArray m_rest; // of a line that has not ended
};

} // namespace drover::gui
