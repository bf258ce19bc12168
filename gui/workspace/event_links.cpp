#include "gui/workspace/event_links.h"

#include "gui/feeds/events_feed.h"
#include "gui/models/events/event_model.h"
#include "gui/models/events/subscriptions.h"
#include "gui/models/wait_model.h"
#include "gui/pages/events_page.h"
#include "gui/shell/shell.h"
#include "gui/text/entity_text.h"

#include <QDateTime>

namespace drover::gui {

EventLinks::EventLinks(EventsPage &page, Subscriptions &subscriptions, EventsFeed &feed, Shell &shell)
    : QObject(&page), m_subscriptions(subscriptions), m_notifier(new Notifier(*shell.owner(), this))
{
    connect(&page, &EventsPage::wanted, &feed, &EventsFeed::follow);
    connect(&subscriptions, &Subscriptions::rulesChanged, this, [&subscriptions, &feed] {
        if (!subscriptions.rules().isEmpty())
            QMetaObject::invokeMethod(&feed, &EventsFeed::follow);
    });
    connect(&subscriptions, &Subscriptions::told, m_notifier, &Notifier::tell);
    connect(m_notifier, &Notifier::said, this, &EventLinks::said);
    connect(m_notifier, &Notifier::opened, this, [&shell, &page] {
        shell.present();
        shell.activateWindow();
        shell.goTo(&page);
    });
}

void EventLinks::setTarget(const Target &target)
{
    m_notifier->setCluster(targetText(target));
}

void EventLinks::setDesktop(Notifier::Desktop desktop)
{
    m_notifier->setDesktop(std::move(desktop));
}

void EventLinks::joinWaits(const WaitModel &waits, EventModel &events)
{
    connect(&waits, &WaitModel::found, this, [this, &events](const QList<Deadlock> &fresh) {
        QList<EventRow> rows;
        for (const Deadlock &deadlock : fresh) {
            EventRow row;
            row.at = QDateTime::currentMSecsSinceEpoch();
            row.event = QStringLiteral("deadlock");
            row.about = EventRow::About::Lock;
            row.subject = QString::fromUtf8(deadlock.waiting.front().lock);
            row.detail = deadlock.path() + u' ' + WaitModel::describe(deadlock);
            row.bad = true;
            rows.append(row);
        }
        events.add(rows);
        m_subscriptions.look(rows);
    });
}

} // namespace drover::gui
