#include "gui/models/waits/wait_model.h"

#include "text/printable.h"

#include <algorithm>
#include <set>

namespace drover::gui {

namespace {

// What makes two circles the same, whichever wait stands first.
std::set<std::pair<zk::SessionId, QByteArray>> waitsOf(const Deadlock &deadlock)
{
    std::set<std::pair<zk::SessionId, QByteArray>> waits;
    for (const LockRow &row : deadlock.waiting)
        waits.emplace(row.session, row.lock + '/' + row.ticket);
    return waits;
}

} // namespace

void WaitModel::showLocks(const QList<LockRow> &rows)
{
    m_locks = rows;
    update();
}

void WaitModel::showOthers(const QList<LockRow> &rows)
{
    m_others = rows;
    update();
}

void WaitModel::update()
{
    std::set<std::set<std::pair<zk::SessionId, QByteArray>>> known;
    for (const Deadlock &deadlock : std::as_const(m_deadlocks))
        known.insert(waitsOf(deadlock));
    m_deadlocks = findDeadlocks(rows());
    QList<Deadlock> fresh;
    for (const Deadlock &deadlock : std::as_const(m_deadlocks)) {
        if (!known.contains(waitsOf(deadlock)))
            fresh.append(deadlock);
    }
    Q_EMIT changed();
    if (!fresh.isEmpty())
        Q_EMIT found(fresh);
}

qsizetype WaitModel::waiters() const
{
    const auto waits = [](const LockRow &row) { return row.place > 0; };
    return std::count_if(m_locks.begin(), m_locks.end(), waits)
        + std::count_if(m_others.begin(), m_others.end(), waits);
}

QString WaitModel::describe(const Deadlock &deadlock)
{
    QStringList sentences;
    for (const LockRow &row : deadlock.waiting)
        sentences << tr("“%1” waits for %2.", "owner, lock")
                         .arg(text::printable(row.about.left(80)), text::printable(row.lock));
    return sentences.join(u' ');
}

} // namespace drover::gui
