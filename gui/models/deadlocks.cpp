#include "gui/models/deadlocks.h"

#include "text/printable.h"

#include <map>
#include <set>

namespace drover::gui {

namespace {

using Owner = std::pair<zk::SessionId, QByteArray>;

// One walk along the waits, which remembers where it has been.
class Search
{
public:
    explicit Search(const QList<LockRow> &rows)
    {
        for (const LockRow &row : rows) {
            if (row.place == 0 && row.session != 0)
                m_holders[row.lock].append(ownerOf(row));
            else if (row.place > 0)
                m_waits[ownerOf(row)].append(row);
        }
    }

    QList<Deadlock> all()
    {
        for (const auto &[owner, waits] : m_waits) {
            if (!m_seen.contains(owner))
                walk(owner);
        }
        return m_found;
    }

private:
    enum class Mark { OnTheWay, Done };

    struct Step {
        Owner owner;
        qsizetype wait = 0; // of the owner: the wait that is followed
        qsizetype holder = 0; // of the lock that is waited for: the one to follow next
    };

    static Owner ownerOf(const LockRow &row) { return {row.session, row.about}; }

    // Without recursion: a chain may be as long as there are locks.
    void walk(const Owner &first)
    {
        enter(first);
        while (!m_way.empty()) {
            Step &step = m_way.back();
            const QList<LockRow> &waits = m_waits[step.owner];
            if (step.wait == waits.size()) {
                m_seen[step.owner] = Mark::Done;
                m_way.pop_back();
                continue;
            }
            const QList<Owner> &holders = m_holders[waits[step.wait].lock];
            if (step.holder == holders.size()) {
                ++step.wait;
                step.holder = 0;
                continue;
            }
            const Owner next = holders[step.holder++];
            const auto seen = m_seen.find(next);
            if (seen == m_seen.end())
                enter(next);
            else if (seen->second == Mark::OnTheWay && next != m_way.back().owner)
                close(next);
        }
    }

    void enter(const Owner &owner)
    {
        m_seen[owner] = Mark::OnTheWay;
        m_way.push_back({owner});
    }

    void close(const Owner &begin)
    {
        Deadlock found;
        bool isInside = false;
        for (const Step &step : m_way) {
            isInside = isInside || step.owner == begin;
            if (isInside)
                found.waiting.append(m_waits[step.owner][step.wait]);
        }
        for (const LockRow &row : found.waiting) {
            if (m_inCircle.contains(ownerOf(row)))
                return;
        }
        for (const LockRow &row : found.waiting)
            m_inCircle.insert(ownerOf(row));
        m_found.append(found);
    }

    std::map<QByteArray, QList<Owner>> m_holders; // by lock
    std::map<Owner, QList<LockRow>> m_waits;
    std::map<Owner, Mark> m_seen;
    std::set<Owner> m_inCircle;
    std::vector<Step> m_way;
    QList<Deadlock> m_found;
};

} // namespace

QString Deadlock::path() const
{
    QStringList locks;
    for (const LockRow &row : waiting)
        locks << text::printable(row.lock);
    locks << locks.front();
    return locks.join(QStringLiteral(" → "));
}

QList<Deadlock> findDeadlocks(const QList<LockRow> &rows)
{
    return Search(rows).all();
}

} // namespace drover::gui
