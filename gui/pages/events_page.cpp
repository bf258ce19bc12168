#include "gui/pages/events_page.h"

#include "gui/models/events/event_filter.h"
#include "gui/models/events/event_model.h"
#include "gui/models/events/subscriptions.h"
#include "gui/text/format.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/table_view.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QAction>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>

namespace drover::gui {

EventsPage::EventsPage(EventModel &model, Subscriptions &subscriptions, ActionRegistry &actions)
    : TablePage(QStringLiteral("events"), tr("Events"), new TableView(new EventFilter, EventModel::Event), actions),
      m_model(model), m_subscriptions(subscriptions), m_filter(static_cast<EventFilter *>(table().model())),
      m_follow(new QCheckBox(tr("Foll&ow"))), m_rules(new QMenu(this))
{
    m_filter->setParent(this);
    m_filter->setSourceModel(&model);
    makeBar(actions);
    table().setAccessibleName(tr("Events"));
    table().setColumnWidths({14, 19, 22, 12, 12, 0});
    table().setSpareColumns({EventModel::Queue, EventModel::State});
    showEntities(EntityRef::Kind::None, &table());
    follow(false);
    auto *const open = new QAction(lineIcon(QStringLiteral("details")), tr("&Go to what it is about"), this);
    connect(open, &QAction::triggered, this, [this] {
        if (const EventRow *const event = current())
            Q_EMIT entityWanted(event->entity());
    });
    addVerb("events.open", open, {});
    connect(&table(), &QAbstractItemView::activated, open, &QAction::trigger);
    connect(&model, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex &, int first, int last) { count(first, last); });
    connect(m_filter, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex &, int first, int last) { stayInPlace(last - first + 1); });
}

void EventsPage::makeBar(ActionRegistry &)
{
    QHBoxLayout *const bar = layOut(tr("Filter events: state:failed queue:etl"));
    m_follow->setToolTip(tr("Shows the newest events at the end, and stays there"));
    connect(m_follow, &QCheckBox::toggled, this, &EventsPage::follow);
    auto *const notify = new QPushButton(tr("&Tell me…"));
    notify->setToolTip(tr("Of which events the desktop tells you"));
    notify->setMenu(m_rules);
    connect(m_rules, &QMenu::aboutToShow, this, &EventsPage::fillMenu);
    bar->addWidget(m_follow);
    bar->addWidget(notify);
}

void EventsPage::filterBy(const QString &text)
{
    m_rule = text;
    m_filter->setRule(EventRule(text));
}

void EventsPage::follow(bool follows)
{
    table().sortByColumn(EventModel::Time, follows ? Qt::AscendingOrder : Qt::DescendingOrder);
    follows ? table().scrollToBottom() : table().scrollToTop();
}

// Who has scrolled away from the newest event goes on reading where they are.
void EventsPage::stayInPlace(int added)
{
    QScrollBar *const bar = table().verticalScrollBar();
    if (m_follow->isChecked() && bar->value() >= bar->maximum() - added)
        table().scrollToBottom();
    else if (!m_follow->isChecked() && bar->value() > 0)
        bar->setValue(bar->value() + added);
}

const EventRow *EventsPage::current() const
{
    const int row = table().sourceRow(table().currentIndex());
    return row < 0 ? nullptr : &m_model.row(row);
}

void EventsPage::addRule(const QString &title, const QString &rule)
{
    QAction *const action = m_rules->addAction(title.arg(text::printable(rule).replace(u'&', QStringLiteral("&&"))));
    action->setCheckable(true);
    action->setChecked(m_subscriptions.has(rule));
    connect(action, &QAction::toggled, this,
            [this, rule](bool on) { on ? m_subscriptions.add(rule) : m_subscriptions.remove(rule); });
}

void EventsPage::fillMenu()
{
    m_rules->clear();
    const QString rule = EventRule(m_rule).text();
    if (!rule.isEmpty())
        addRule(tr("Of what the filter fits: %1"), rule);
    if (const EventRow *const event = current()) {
        if (event->job)
            addRule(tr("Of this job: %1"), QStringLiteral("job:") + event->job->toString());
        if (!event->queue.isEmpty())
            addRule(tr("Of failures in this queue: %1"), QStringLiteral("state:failed queue:") + event->queue);
    }
    addRule(tr("Of each job that fails: %1"), QStringLiteral("event:ended state:failed"));
    addRule(tr("Of each worker that leaves: %1"), QStringLiteral("event:worker-left"));
    m_rules->addSeparator();
    QStringList offered;
    for (const QAction *const action : m_rules->actions())
        offered << action->text();
    for (const EventRule &each : m_subscriptions.rules()) {
        const bool isThere = std::ranges::any_of(
            offered, [&](const QString &text) { return text.endsWith(QStringLiteral(": ") + each.text()); });
        if (!isThere)
            addRule(QStringLiteral("%1"), each.text());
    }
}

void EventsPage::count(int first, int last)
{
    for (int i = first; i <= last && !isAwake(); ++i)
        m_bad += m_model.row(i).bad ? 1 : 0;
    setBadge({m_bad > 0 ? shortCount(m_bad) : QString(),
              m_bad > 0 ? tr("%1 that need a look").arg(text::formatCount(m_bad)) : QString(), Tone::Bad});
}

void EventsPage::activate()
{
    TablePage::activate();
    m_bad = 0;
    setBadge({});
    if (!std::exchange(m_hasWanted, true))
        Q_EMIT wanted();
}

QString EventsPage::whenEmpty(const ConnectionState &) const
{
    return tr("Nothing has happened since this page was opened.\nWhat happens from now on is listed here.");
}

} // namespace drover::gui
