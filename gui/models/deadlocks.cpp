#include "gui/models/deadlocks.h"

#include "gui/data/line_name.h"
#include "recipes/blocks/node_kind.h"
#include "recipes/locks/outer_owners.h"
#include "recipes/locks/revocation.h"
#include "text/printable.h"

#include <algorithm>
#include <map>
#include <set>

namespace drover::gui {

namespace {

using Owner = LockOwner;

// What an owner waits for whose command has started another. No lock has such a name.
QByteArray commandOf(const Owner &inner)
{
    return QByteArray(1, '\0') + QByteArray::number(inner.first, 16) + ' ' + inner.second;
}

bool isForCommand(const LockRow &wait)
{
    return wait.lock.startsWith('\0');
}

// One walk along the waits of those who cannot go on, which remembers where it has been.
class Search
{
public:
    explicit Search(const QList<LockRow> &rows)
    {
        for (const LockRow &row : rows) {
            if (row.place == 0 && row.session != 0)
                m_holders[row.lock].append(row);
            else if (row.place > 0)
                m_waits[ownerOf(row)].append(row);
        }
        for (const Nesting &nesting : nestingsIn(rows)) {
            const QByteArray command = commandOf(ownerOf(nesting.inner));
            m_waits[nesting.outer].append(LockRow{command, 1, {}, nesting.outer.second, nesting.outer.first, 0});
            m_holders[command] = {nesting.inner};
        }
    }

    QList<Deadlock> all()
    {
        leaveOutWhoGoesOn();
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

    // Each owner that goes on lets those behind it go on, and so on. Who is left waits for ever.
    void leaveOutWhoGoesOn()
    {
        std::map<QByteArray, std::vector<Owner>> behind; // by lock
        std::map<Owner, std::vector<QByteArray>> held;
        for (const auto &[owner, waits] : m_waits) {
            for (const LockRow &wait : waits)
                behind[wait.lock].push_back(owner);
        }
        for (const auto &[lock, holders] : m_holders) {
            for (const LockRow &holder : holders)
                held[ownerOf(holder)].push_back(lock);
        }
        std::vector<Owner> ahead;
        for (const auto &[owner, waits] : m_waits)
            ahead.push_back(owner);
        while (!ahead.empty()) {
            const Owner owner = ahead.back();
            ahead.pop_back();
            const auto waits = m_waits.find(owner);
            const auto isOver = [this, &owner](const LockRow &wait) { return endsByItself(wait, owner); };
            if (waits == m_waits.end() || std::none_of(waits->second.begin(), waits->second.end(), isOver))
                continue;
            m_waits.erase(waits);
            for (const QByteArray &lock : held[owner])
                ahead.insert(ahead.end(), behind[lock].begin(), behind[lock].end());
        }
    }

    bool endsByItself(const LockRow &wait, const Owner &owner) const
    {
        const auto holders = m_holders.find(wait.lock);
        if (holders == m_holders.end())
            return true;
        const auto goesOn = [this, &owner](const LockRow &holder) {
            return ownerOf(holder) == owner || !m_waits.contains(ownerOf(holder));
        };
        return wait.isOfSeveral ? std::any_of(holders->second.begin(), holders->second.end(), goesOn)
                                : std::all_of(holders->second.begin(), holders->second.end(), goesOn);
    }

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
            const QList<LockRow> &holders = m_holders[waits[step.wait].lock];
            if (step.holder == holders.size()) {
                ++step.wait;
                step.holder = 0;
                continue;
            }
            const Owner next = ownerOf(holders[step.holder++]);
            const auto seen = m_seen.find(next);
            if (seen == m_seen.end() && m_waits.contains(next))
                enter(next);
            else if (seen != m_seen.end() && seen->second == Mark::OnTheWay && next != m_way.back().owner)
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
            if (!isInside)
                continue;
            found.owners.append(step.owner);
            const LockRow &wait = m_waits[step.owner][step.wait];
            if (!isForCommand(wait))
                found.waiting.append(wait);
        }
        const auto isKnown = [this](const Owner &owner) { return m_inCircle.contains(owner); };
        if (found.waiting.isEmpty() || std::any_of(found.owners.begin(), found.owners.end(), isKnown))
            return;
        m_inCircle.insert(found.owners.begin(), found.owners.end());
        found.evidence = evidenceFor(begin);
        m_found.append(found);
    }

    // The waits of this owner, their holders, the waits of these, and so on. A row that tells within whose lock it is
    // has to stay as well.
    QList<LockRow> evidenceFor(const Owner &begin)
    {
        QList<LockRow> evidence;
        std::set<std::pair<zk::SessionId, QByteArray>> places;
        const auto add = [&](const LockRow &row) {
            if (!isForCommand(row) && places.emplace(row.session, row.lock + '/' + row.ticket).second)
                evidence.append(row);
        };
        std::set<Owner> known{begin};
        std::set<QByteArray> locks;
        std::vector<Owner> ahead{begin};
        while (!ahead.empty()) {
            const QList<LockRow> waits = m_waits[ahead.back()];
            ahead.pop_back();
            std::for_each(waits.begin(), waits.end(), add);
            for (const LockRow &wait : waits) {
                if (!locks.insert(wait.lock).second)
                    continue;
                for (const LockRow &holder : std::as_const(m_holders[wait.lock])) {
                    if (!m_waits.contains(ownerOf(holder)))
                        continue; // a reader that goes on beside one that does not
                    add(holder);
                    if (known.insert(ownerOf(holder)).second)
                        ahead.push_back(ownerOf(holder));
                }
            }
        }
        return evidence;
    }

    std::map<QByteArray, QList<LockRow>> m_holders; // by lock
    std::map<Owner, QList<LockRow>> m_waits; // of owners that cannot go on
    std::map<Owner, Mark> m_seen;
    std::set<Owner> m_inCircle;
    std::vector<Step> m_way;
    QList<Deadlock> m_found;
};

} // namespace

LockOwner ownerOf(const LockRow &row)
{
    return {row.session, wasAsked(row) ? row.about + ' ' + row.lock + '/' + row.ticket : row.about};
}

QByteArray ownWordsOf(const LockRow &row)
{
    return recipes::withoutOwners(row.about);
}

bool wasAsked(const LockRow &row)
{
    return !row.about.isEmpty() && row.about == recipes::requestIn(row.ticket, row.about);
}

QList<Nesting> nestingsIn(const QList<LockRow> &rows)
{
    std::vector<std::pair<const LockRow *, QList<recipes::OuterOwner>>> inside;
    for (const LockRow &row : rows) {
        if (const QList<recipes::OuterOwner> owners = recipes::ownersIn(row.about); row.place >= 0 && !owners.isEmpty())
            inside.emplace_back(&row, owners);
    }
    if (inside.empty())
        return {};
    std::map<zk::SessionId, std::set<Owner>> holders;
    for (const LockRow &row : rows) {
        if (row.place == 0 && row.session != 0)
            holders[row.session].insert(ownerOf(row));
    }
    QList<Nesting> nestings;
    std::set<std::pair<Owner, Owner>> known;
    for (const auto &[row, owners] : inside) {
        const Owner inner = ownerOf(*row);
        for (const recipes::OuterOwner &named : owners) {
            for (const Owner &outer : holders[named.session]) {
                const bool isMeant = outer != inner && (named.about.isEmpty() || named.about == outer.second);
                if (isMeant && known.emplace(outer, inner).second)
                    nestings.append(Nesting{outer, *row});
            }
        }
    }
    return nestings;
}

bool canBeAsked(const LockRow &row)
{
    return row.session != 0 && !row.isOfSeveral && recipes::knowsRequests(row.ticket);
}

// Nothing in the name of a member of a barrier that was found in the tree tells of it. All other contenders have names
// that do.
bool isMember(const LockRow &row)
{
    const LineKind line = kindOfLine(row.lock);
    return line == LineKind::Found
        ? row.place >= 0 && !row.isOfSeveral && recipes::kindOf(row.ticket) == recipes::NodeKind::Other
        : line == LineKind::DoubleBarrier;
}

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
