#pragma once

#include "trust/need.h"

#include <QObject>
#include <QPointer>

#include <map>

namespace drover::jobs {
class JobOptions;
}

namespace drover::gui {

class Gateway;
class QueueHistory;
class ScheduleDialog;
class ScheduleFeed;
class SchedulesPage;

// Carries out what the user does to recurring jobs. It sends the page's requests to the feed. Each answer goes to the
// dialog that waits for it, or to the line at the bottom of the window.
class ScheduleLinks final : public QObject
{
    Q_OBJECT

public:
    // A child of the page; the others outlive it.
    ScheduleLinks(SchedulesPage &page, ScheduleFeed &feed, const QueueHistory &queues, const Gateway &gateway);

    // Of a job, for the dialogs from now on; they outlive it.
    void setOptions(const jobs::JobOptions &options) { m_options = &options; }

Q_SIGNALS:
    void said(const QString &text, std::chrono::milliseconds duration);

private:
    void wire(SchedulesPage &page);
    ScheduleDialog *newDialog();

    ScheduleFeed &m_feed;
    const QueueHistory &m_queues;
    const Gateway &m_gateway;
    SchedulesPage &m_page;
    const jobs::JobOptions *m_options = nullptr;
    int m_lastRequest = 0;
    std::map<int, QPointer<ScheduleDialog>> m_waiting; // null: of a verb
};

} // namespace drover::gui
