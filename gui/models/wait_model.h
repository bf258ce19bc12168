#pragma once

#include "gui/models/deadlocks.h"

#include <QObject>

#include <set>

namespace drover::gui {

// The holders and waiters of the cluster's locks, limits and elections, of the locks that were found elsewhere, and the
// deadlocks among them. A circle is a deadlock once a second reading has found all its evidence (models/deadlocks.h).
class WaitModel final : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    QList<LockRow> rows() const { return m_locks + m_others + m_found; }
    const QList<Deadlock> &deadlocks() const { return m_deadlocks; }
    qsizetype waiters() const;
    // "default-8 waits for db", one sentence for each wait of the circle.
    static QString describe(const Deadlock &deadlock);

public Q_SLOTS:
    void showLocks(const QList<drover::gui::LockRow> &rows);
    void showOthers(const QList<drover::gui::LockRow> &rows); // of limits and elections
    void showFound(const QList<drover::gui::LockRow> &rows); // outside the cluster's directories
    // The answer to confirmWanted(): those of these contenders that are still there. All circles that it makes certain
    // are shown by one changed().
    void confirm(const QList<drover::gui::LockRow> &asked, const QList<drover::gui::LockRow> &present);

Q_SIGNALS:
    // Whether these contenders are still there, to be read after this signal. They are those of all new circles.
    void confirmWanted(const QList<drover::gui::LockRow> &contenders);
    void changed();
    // Circles that were not there before.
    void found(const QList<drover::gui::Deadlock> &fresh);

private:
    using Evidence = std::set<std::pair<QByteArray, zk::Zxid>>;

    static Evidence evidenceOf(const QList<LockRow> &rows);
    void take(const QList<LockRow> &rows, QList<LockRow> &kept);
    void update();
    void showConfirmed();

    QList<LockRow> m_locks;
    QList<LockRow> m_others;
    QList<LockRow> m_found;
    QList<Deadlock> m_suspected; // all circles of the rows
    QList<Deadlock> m_deadlocks; // the certain ones among them
    std::set<Evidence> m_asked; // about these no answer has come
    std::set<Evidence> m_confirmed;
};

} // namespace drover::gui
