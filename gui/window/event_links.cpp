#include "gui/window/event_links.h"

#include "gui/feeds/events_feed.h"
#include "gui/models/events/event_model.h"
#include "gui/models/events/subscriptions.h"
#include "gui/models/waits/wait_model.h"
#include "gui/pages/events/events_page.h"
#include "gui/pages/waits/waits_page.h"
#include "gui/shell/shell.h"
#include "gui/window/notifier.h"
#include "text/printable.h"

#include <QDateTime>

namespace drover::gui {

using About = EventRow::About;

EventLinks::EventLinks(EventsPage &page, Subscriptions &subscriptions, EventsFeed &feed, Shell &shell)
    : QObject(&page), m_subscriptions(subscriptions), m_shell(shell)
{
    connect(&page, &EventsPage::wanted, &feed, &EventsFeed::follow);
    connect(&page, &EventsPage::entityWanted, this, &EventLinks::goTo);
    connect(&subscriptions, &Subscriptions::rulesChanged, this, [&subscriptions, &feed] {
        if (!subscriptions.rules().isEmpty())
            QMetaObject::invokeMethod(&feed, &EventsFeed::follow);
    });
    auto *const notifier = new Notifier(*shell.window());
    connect(&subscriptions, &Subscriptions::told, notifier, &Notifier::tell);
    connect(notifier, &Notifier::said, this, &EventLinks::said);
    connect(notifier, &Notifier::opened, this, [this, &page] {
        m_shell.window()->activateWindow();
        m_shell.goTo(&page);
    });
}

void EventLinks::joinWaits(WaitsPage &page, const WaitModel &waits, EventModel &events)
{
    connect(&page, &WaitsPage::jobWanted, this, &EventLinks::jobWanted);
    connect(&page, &WaitsPage::lockWanted, this, [this](const QByteArray &lock) {
        EventRow row;
        row.about = About::Lock;
        row.subject = QString::fromUtf8(lock);
        goTo(row);
    });
    connect(&waits, &WaitModel::found, this, [this, &events](const QList<Deadlock> &fresh) {
        QList<EventRow> rows;
        for (const Deadlock &deadlock : fresh) {
            EventRow row;
            row.at = QDateTime::currentMSecsSinceEpoch();
            row.event = QStringLiteral("deadlock");
            row.about = About::Lock;
            row.subject = QString::fromUtf8(deadlock.waiting.front().lock);
            row.detail = deadlock.path() + u' ' + WaitModel::describe(deadlock);
            row.bad = true;
            rows.append(row);
        }
        events.add(rows);
        m_subscriptions.look(rows);
    });
}

void EventLinks::goTo(const EventRow &event)
{
    const std::map<About, QString> pages{{About::Worker, QStringLiteral("workers")},
                                         {About::Queue, QStringLiteral("queues")},
                                         {About::Lock, QStringLiteral("locks")},
                                         {About::Schedule, QStringLiteral("schedules")},
                                         {About::Server, QStringLiteral("ensemble")}};
    const auto name = pages.find(event.about);
    Page *const page = name == pages.end() ? nullptr : m_shell.find(name->second);
    if (event.about == About::Job)
        Q_EMIT jobWanted(*event.job);
    else if (page)
        m_shell.goTo(page);
    if (auto *const rows = qobject_cast<TablePage *>(page))
        rows->selectRow(text::printable(event.subject));
}

} // namespace drover::gui
