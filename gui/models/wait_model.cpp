#include "gui/models/wait_model.h"

#include "text/printable.h"

#include <algorithm>
#include <utility>

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

std::pair<QByteArray, zk::Zxid> placeOf(const LockRow &row)
{
    return {row.lock + '/' + row.ticket, row.czxid};
}

} // namespace

void WaitModel::showLocks(const QList<LockRow> &rows)
{
    take(rows, m_locks);
}

void WaitModel::showOthers(const QList<LockRow> &rows)
{
    take(rows, m_others);
}

void WaitModel::showFound(const QList<LockRow> &rows)
{
    take(rows, m_found);
}

// The feed hands over all kinds of rows each time, of which mostly one has changed.
void WaitModel::take(const QList<LockRow> &rows, QList<LockRow> &kept)
{
    const bool isUncertain = m_deadlocks.size() < m_suspected.size();
    if (std::exchange(kept, rows) != rows || isUncertain)
        update();
}

WaitModel::Evidence WaitModel::evidenceOf(const QList<LockRow> &rows)
{
    Evidence evidence;
    for (const LockRow &row : rows)
        evidence.insert(placeOf(row));
    return evidence;
}

void WaitModel::update()
{
    m_suspected = findDeadlocks(rows());
    std::set<Evidence> present;
    for (const Deadlock &suspect : std::as_const(m_suspected))
        present.insert(evidenceOf(suspect.evidence));
    std::erase_if(m_confirmed, [&](const Evidence &evidence) { return !present.contains(evidence); });
    showConfirmed();
    QList<LockRow> asked; // at once about all circles, each row once
    Evidence rowsAsked;
    for (const Deadlock &suspect : std::as_const(m_suspected)) {
        const Evidence evidence = evidenceOf(suspect.evidence);
        if (m_confirmed.contains(evidence) || !m_asked.insert(evidence).second)
            continue;
        for (const LockRow &row : suspect.evidence) {
            if (rowsAsked.insert(placeOf(row)).second)
                asked.append(row);
        }
    }
    if (!asked.isEmpty())
        Q_EMIT confirmWanted(asked);
}

void WaitModel::confirm(const QList<LockRow> &asked, const QList<LockRow> &present)
{
    const Evidence all = evidenceOf(asked);
    const Evidence still = evidenceOf(present);
    const std::size_t known = m_confirmed.size();
    std::erase_if(m_asked, [&](const Evidence &evidence) {
        if (!std::includes(all.begin(), all.end(), evidence.begin(), evidence.end()))
            return false;
        if (std::includes(still.begin(), still.end(), evidence.begin(), evidence.end()))
            m_confirmed.insert(evidence); // otherwise the rows will say so, too
        return true;
    });
    if (m_confirmed.size() > known)
        showConfirmed();
}

void WaitModel::showConfirmed()
{
    std::set<std::set<std::pair<zk::SessionId, QByteArray>>> known;
    for (const Deadlock &deadlock : std::as_const(m_deadlocks))
        known.insert(waitsOf(deadlock));
    m_deadlocks.clear();
    QList<Deadlock> fresh;
    for (const Deadlock &suspect : std::as_const(m_suspected)) {
        if (!m_confirmed.contains(evidenceOf(suspect.evidence)))
            continue;
        m_deadlocks.append(suspect);
        if (!known.contains(waitsOf(suspect)))
            fresh.append(suspect);
    }
    Q_EMIT changed();
    if (!fresh.isEmpty())
        Q_EMIT found(fresh);
}

qsizetype WaitModel::waiters() const
{
    const auto waits = [](const LockRow &row) { return row.place > 0; };
    return std::count_if(m_locks.begin(), m_locks.end(), waits) + std::count_if(m_others.begin(), m_others.end(), waits)
        + std::count_if(m_found.begin(), m_found.end(), waits);
}

QString WaitModel::describe(const Deadlock &deadlock)
{
    QStringList sentences;
    for (const LockRow &row : deadlock.waiting)
        sentences << tr("“%1” waits for %2.", "owner, lock")
                         .arg(text::printable(ownWordsOf(row).left(80)), text::printable(row.lock));
    return sentences.join(u' ');
}

} // namespace drover::gui
