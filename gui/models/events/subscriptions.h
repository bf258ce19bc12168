#pragma once

#include "gui/models/events/event_rule.h"

#include <QObject>
#include <QTimer>

class QSettings;

namespace drover::gui {

// The rules to which the user has subscribed, and what has happened that fits them. Several events in a second make one
// message, so that a storm of events is no storm of messages.
class Subscriptions final : public QObject
{
    Q_OBJECT

public:
    static constexpr qsizetype MaxRules = 50;

    explicit Subscriptions(QObject *parent = nullptr);

    const QList<EventRule> &rules() const { return m_rules; }
    bool has(const QString &rule) const { return m_rules.contains(EventRule(rule)); }
    void add(const QString &rule); // not an empty one, nor one more than MaxRules
    void remove(const QString &rule);
    void setRules(const QList<EventRule> &rules); // as another object of this kind has them

    void saveTo(QSettings &settings) const;
    void restoreFrom(const QSettings &settings);

public Q_SLOTS:
    void look(const QList<drover::gui::EventRow> &events);

Q_SIGNALS:
    void rulesChanged();
    // One line each, for people; `title` is the rule.
    void told(const QString &title, const QString &text);

private:
    void tell();

    struct Pending {
        EventRule rule;
        qint64 count = 0;
        EventRow last;
    };

    QList<EventRule> m_rules;
    QList<Pending> m_pending;
    QTimer m_gathering;
};

} // namespace drover::gui
