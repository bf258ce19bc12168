#pragma once

#include "gui/shell/page.h"
#include "jobs/model/job_state.h"

#include <QTimer>

#include <set>

namespace drover::gui {

class JobModel;
class LoadChart;
class LoadHistory;
class LockModel;
class QueueHistory;
class SlotMap;
class Tile;
class WorkerModel;

// The cluster at a glance. Each tile leads to the page that has more.
class OverviewPage final : public Page
{
    Q_OBJECT

public:
    OverviewPage(const JobModel &jobs, const QueueHistory &queues, const LoadHistory &load, const WorkerModel &workers,
                 const LockModel &locks);

    void showState(const ConnectionState &state) override;
    // What drover doctor has found: how much, and the first of it.
    void showFindings(const QString &value, const QString &remark, Tone tone);

Q_SIGNALS:
    void doctorWanted(); // each minute while the page is seen, and every five otherwise
    void findingsWanted();
    void pageWanted(const QString &name);
    void jobsWanted(const drover::gui::JobSearch &search);

protected:
    QWidget *mainPart() const override;
    void activate() override;

private:
    Tile *addStates(const QString &title, const std::set<jobs::JobState> &states, const QString &filter = {});
    Tile *leadTo(const QString &page, const QString &title, QWidget *picture = nullptr);
    void layOut();
    void countJobs();
    void countQueues();
    void countWorkers();
    void countLocks();
    void askDoctor();

    const JobModel &m_jobs;
    const QueueHistory &m_history;
    const WorkerModel &m_workerModel;
    const LockModel &m_lockModel;
    LoadChart *m_depth;
    LoadChart *m_throughput;
    SlotMap *m_slots;
    std::vector<Tile *> m_states; // in the order of the window
    Tile *m_failed;
    Tile *m_queues;
    Tile *m_workers;
    Tile *m_master;
    Tile *m_locks;
    Tile *m_doctor;
    QTimer m_nextLook; // of the doctor
    int m_unseenMinutes = 0; // since the doctor was wanted last
    bool m_connected = false;
};

} // namespace drover::gui
