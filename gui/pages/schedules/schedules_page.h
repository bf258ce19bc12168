#pragma once

#include "gui/pages/table_page.h"
#include "jobs/schedules/schedules.h"
#include "trust/need.h"

#include <QTimer>

class QAction;
class QStackedWidget;

namespace drover::gui {

class RunTimeline;
class ScheduleModel;
class WeekCalendar;

// The recurring jobs: when they run next, ran last, and what they submit. The badge counts them, or those in trouble.
class SchedulesPage final : public TablePage
{
    Q_OBJECT

public:
    SchedulesPage(ScheduleModel &model, ActionRegistry &actions);

    void showState(const ConnectionState &state) override;
    // What it takes to add or change a schedule.
    static trust::Need toChange() { return {.role = trust::Role::Operate, .signs = trust::Need::Signs}; }

Q_SIGNALS:
    void addWanted();
    void editWanted(const drover::jobs::StoredSchedule &schedule);
    void pauseWanted(const QByteArray &schedule);
    void resumeWanted(const QByteArray &schedule);
    void runWanted(const QByteArray &schedule);
    void removeWanted(const QByteArray &schedule);

protected:
    QString whenEmpty(const ConnectionState &state) const override;
    void activate() override;
    void deactivate() override;

private:
    void showPicture(const QVariant &span);
    void makeVerbs();
    QAction *newVerb(const char *name, const QString &text, const trust::Need &need,
                     std::function<void(const jobs::StoredSchedule &schedule)> act);
    void askToRemove(const QByteArray &name);
    void update();
    const jobs::StoredSchedule *current() const; // null: none or several are selected

    ScheduleModel &m_model;
    RunTimeline *m_timeline;
    WeekCalendar *m_calendar;
    QStackedWidget *m_pictures; // one of the two
    QAction *m_edit = nullptr;
    QAction *m_pause = nullptr;
    QAction *m_resume = nullptr;
    QAction *m_run = nullptr;
    QAction *m_remove = nullptr;
    QTimer m_clock;
};

} // namespace drover::gui
