#pragma once

#include "gui/data/schedule_row.h"
#include "gui/feeds/request_feed.h"

namespace drover::gui {

// Follows the recurring jobs of the cluster, the first MaxSchedules of them, with a watch on each; and changes them as
// drover cron does. done() or failed() answers each request.
class ScheduleFeed final : public RequestFeed
{
    Q_OBJECT

public:
    static constexpr qsizetype MaxSchedules = 500; // that are followed, so that other feeds keep watches to set

    int watches() const override { return m_watches; }
    void clear() override;

public Q_SLOTS:
    // The job's submitter and time, and those of the schedule, are set here.
    void add(int request, const QByteArray &name, const drover::jobs::ScheduleEntry &entry);
    void replace(int request, const QByteArray &name, const drover::jobs::ScheduleEntry &entry);
    void pause(int request, const QByteArray &name);
    void resume(int request, const QByteArray &name);
    void remove(int request, const QByteArray &name);
    void run(int request, const QByteArray &name); // its job now, once

Q_SIGNALS:
    void changed(const QList<drover::gui::ScheduleRow> &rows);
    void done(int request, const QString &what); // one line

protected:
    void begin() override;
    void end() override;

private:
    struct Followed {
        std::optional<ScheduleRow> row;
        std::unique_ptr<async::TaskGroup> task;
    };

    using Change = async::Task<void> (*)(jobs::Cluster cluster, QByteArray name);

    async::Task<void> followNames();
    async::Task<void> follow(QByteArray name, Followed *followed);
    async::Task<void> publish();
    void update(QByteArrayList names);
    async::Task<void> addTask(int request, QByteArray name, jobs::ScheduleEntry entry, bool replaces);
    async::Task<void> runTask(int request, QByteArray name);
    async::Task<void> change(int request, QByteArray name, Change by, QString what);

    int m_watches = 0;
    qsizetype m_left = 0; // schedules that are not followed
    async::Event m_dirty;
    std::map<QByteArray, Followed> m_followed;
};

} // namespace drover::gui
