#pragma once

#include "gui/pages/table_page.h"

class QCheckBox;
class QMenu;

namespace drover::gui {

class EventFilter;
class EventModel;
struct EventRow;
class Subscriptions;

// What happens, the newest first, or at the end while one follows it. A row leads to what it is about. The badge counts
// the bad events since the page was seen last.
class EventsPage final : public TablePage
{
    Q_OBJECT

public:
    EventsPage(EventModel &model, Subscriptions &subscriptions, ActionRegistry &actions);

Q_SIGNALS:
    void wanted(); // events, for the first time

protected:
    QString whenEmpty(const ConnectionState &state) const override;
    void filterBy(const QString &text) override;
    void activate() override;

private:
    void makeBar(ActionRegistry &actions);
    void follow(bool follows);
    void stayInPlace(int added);
    void fillMenu();
    void addRule(const QString &title, const QString &rule);
    void count(int first, int last);
    const EventRow *current() const;

    EventModel &m_model;
    Subscriptions &m_subscriptions;
    EventFilter *m_filter;
    QCheckBox *m_follow;
    QMenu *m_rules;
    QString m_rule; // the filter's text
    qint64 m_bad = 0; // not seen yet
    bool m_hasWanted = false;
};

} // namespace drover::gui
