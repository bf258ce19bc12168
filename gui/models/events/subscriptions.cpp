#include "gui/models/events/subscriptions.h"

#include "text/printable.h"
#include "text/quantity.h"

#include <QSettings>

#include <algorithm>

namespace drover::gui {

using namespace std::chrono_literals;

Subscriptions::Subscriptions(QObject *parent) : QObject(parent)
{
    m_gathering.setSingleShot(true);
    m_gathering.setInterval(1s);
    connect(&m_gathering, &QTimer::timeout, this, &Subscriptions::tell);
}

void Subscriptions::add(const QString &rule)
{
    const EventRule added(rule);
    if (added.isEmpty() || m_rules.contains(added) || m_rules.size() == MaxRules)
        return;
    m_rules.append(added);
    Q_EMIT rulesChanged();
}

void Subscriptions::remove(const QString &rule)
{
    if (m_rules.removeAll(EventRule(rule)) > 0)
        Q_EMIT rulesChanged();
}

void Subscriptions::setRules(const QList<EventRule> &rules)
{
    if (rules == m_rules)
        return;
    m_rules = rules;
    Q_EMIT rulesChanged();
}

void Subscriptions::look(const QList<EventRow> &events)
{
    for (const EventRule &rule : std::as_const(m_rules)) {
        for (const EventRow &event : events) {
            if (!rule.fits(event))
                continue;
            auto pending =
                std::find_if(m_pending.begin(), m_pending.end(), [&](const Pending &one) { return one.rule == rule; });
            if (pending == m_pending.end())
                pending = m_pending.insert(m_pending.end(), {rule, 0, {}});
            ++pending->count;
            pending->last = event;
        }
    }
    if (!m_pending.isEmpty() && !m_gathering.isActive())
        m_gathering.start();
}

void Subscriptions::tell()
{
    for (const Pending &pending : std::exchange(m_pending, {})) {
        QStringList parts{pending.last.subject, pending.last.event, pending.last.state, pending.last.detail};
        parts.removeAll(QString());
        const QString last = text::printable(parts.join(u' '));
        Q_EMIT told(pending.rule.text(),
                    pending.count == 1 ? last
                                       : tr("%1 events, the last: %2").arg(text::formatCount(pending.count), last));
    }
}

void Subscriptions::saveTo(QSettings &settings) const
{
    QStringList rules;
    for (const EventRule &rule : m_rules)
        rules << rule.text();
    settings.setValue(QStringLiteral("events/subscriptions"), rules);
}

void Subscriptions::restoreFrom(const QSettings &settings)
{
    m_rules.clear();
    const QStringList rules = settings.value(QStringLiteral("events/subscriptions")).toStringList();
    for (const QString &rule : rules)
        add(rule);
}

} // namespace drover::gui
