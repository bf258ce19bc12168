#pragma once

#include "gui/data/event_row.h"

#include <QObject>

namespace drover::gui {

class EventModel;
class EventsFeed;
class EventsPage;
class Shell;
class Subscriptions;
class WaitModel;
class WaitsPage;

// Joins the page of the events with the feed, with the pages to which its rows lead, and with the desktop's
// notifications. The feed begins with the first visit of the page, or with the first subscription.
class EventLinks final : public QObject
{
    Q_OBJECT

public:
    // A child of the page; the others outlive it.
    EventLinks(EventsPage &page, Subscriptions &subscriptions, EventsFeed &feed, Shell &shell);

    // A lock or a limit in the graph of the waits leads to its page. A deadlock becomes an event of this console, which
    // subscriptions may name.
    void joinWaits(WaitsPage &page, const WaitModel &waits, EventModel &events);

Q_SIGNALS:
    void jobWanted(const drover::jobs::JobId &job); // its details
    void said(const QString &text, std::chrono::milliseconds duration);

private:
    void goTo(const EventRow &event); // to what it is about

    Subscriptions &m_subscriptions;
    Shell &m_shell;
};

} // namespace drover::gui
