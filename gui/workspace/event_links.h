#pragma once

#include "gui/feeds/feed.h"
#include "gui/workspace/notifier.h"

#include <QObject>

#include <chrono>

namespace drover::gui {

class EventModel;
class EventsFeed;
class EventsPage;
class Shell;
class Subscriptions;
class WaitModel;

// Joins the page of the events with the feed and with the desktop's notifications. The feed begins with the first visit
// of the page, or with the first subscription.
class EventLinks final : public QObject
{
    Q_OBJECT

public:
    // A child of the page; the others outlive it.
    EventLinks(EventsPage &page, Subscriptions &subscriptions, EventsFeed &feed, Shell &shell);

    // A deadlock becomes an event of this console, which subscriptions may name.
    void joinWaits(const WaitModel &waits, EventModel &events);

    void setTarget(const Target &target); // notifications name it
    void setDesktop(Notifier::Desktop desktop); // shows them; at first none does

Q_SIGNALS:
    void said(const QString &text, std::chrono::milliseconds duration);

private:
    Subscriptions &m_subscriptions;
    Notifier *m_notifier;
};

} // namespace drover::gui
