#pragma once

#include "gui/models/deadlocks.h"

#include <QObject>

namespace drover::gui {

// The holders and waiters of the cluster's locks, limits and elections, and the deadlocks among them.
class WaitModel final : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    QList<LockRow> rows() const { return m_locks + m_others; }
    const QList<Deadlock> &deadlocks() const { return m_deadlocks; }
    qsizetype waiters() const;
    // "default-8 waits for db", one sentence for each wait of the circle.
    static QString describe(const Deadlock &deadlock);

public Q_SLOTS:
    void showLocks(const QList<drover::gui::LockRow> &rows);
    void showOthers(const QList<drover::gui::LockRow> &rows); // of limits and elections

Q_SIGNALS:
    void changed();
    // Circles that were not there before.
    void found(const QList<drover::gui::Deadlock> &fresh);

private:
    void update();

    QList<LockRow> m_locks;
    QList<LockRow> m_others;
    QList<Deadlock> m_deadlocks;
};

} // namespace drover::gui
