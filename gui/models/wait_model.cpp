#include "gui/models/wait_model.h"

#include "text/printable.h"

#include <algorithm>

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

void WaitModel::showFound(const QList<LockRow> &rows)
{
    m_found = rows;
    update();
}

WaitModel::Evidence WaitModel::evidenceOf(const QList<LockRow> &rows)
{
    Evidence evidence;
    for (const LockRow &row : rows)
        evidence.emplace(row.lock + '/' + row.ticket, row.czxid);
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
    for (const Deadlock &suspect : QList(m_suspected)) {
        const Evidence evidence = evidenceOf(suspect.evidence);
        if (!m_confirmed.contains(evidence) && m_asked.insert(evidence).second)
            Q_EMIT confirmWanted(suspect.evidence);
    }
}

void WaitModel::confirm(const QList<LockRow> &asked, const QList<LockRow> &present)
{
    const Evidence evidence = evidenceOf(asked);
    m_asked.erase(evidence);
    if (evidenceOf(present) != evidence)
        return; // the rows will say so, too
    m_confirmed.insert(evidence);
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
