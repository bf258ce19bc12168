#pragma once

#include "gui/data/lock_search.h"
#include "gui/pages/table_page.h"

#include <QTimer>

class QLabel;

namespace drover::gui {

class LockModel;
class Notice;

// The locks, each with its holder and those who wait for it. A deadlock is explained above them. The badge counts the
// locks, or the deadlocks. A holder or waiter can be asked to let go, and its place be taken from it. The locks of
// other programs are found in the tree.
class LocksPage final : public TablePage
{
    Q_OBJECT

public:
    LocksPage(LockModel &model, ActionRegistry &actions);

Q_SIGNALS:
    void askWanted(const drover::gui::LockRow &contender);
    void breakWanted(const drover::gui::LockRow &contender);
    void limitWanted(const drover::gui::LockRow &limit); // of a contender, or of a limit that is free
    void searchWanted(); // for the locks of the whole tree
    void stopWanted();

public Q_SLOTS:
    void showSearch(const drover::gui::LockSearchReport &report);

protected:
    QString whenEmpty(const ConnectionState &state) const override;
    void activate() override;
    void deactivate() override;

private:
    void addVerbs();
    void updateVerbs();
    const LockRow *current() const; // null: none or several are selected
    const LockRow *selected() const; // a contender whose znode is known; null: there is none
    void count();
    void warn();

    LockModel &m_model;
    Notice *m_notice;
    QAction *m_ask;
    QAction *m_break;
    QAction *m_limit;
    QAction *m_search;
    QLabel *m_found; // how far the search is
    bool m_searches = false;
    QTimer m_clock; // times go on while nothing else changes
};

} // namespace drover::gui
