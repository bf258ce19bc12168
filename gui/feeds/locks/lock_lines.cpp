#include "gui/feeds/locks/lock_lines.h"

#include "gui/data/line_name.h"
#include "recipes/blocks/line.h"
#include "recipes/locks/read_write_lock.h"

#include <algorithm>
#include <set>

namespace drover::gui {

using recipes::NodeKind;

namespace {

bool isSemaphore(NodeKind kind)
{
    return kind == NodeKind::Semaphore || kind == NodeKind::KazooSemaphore;
}

qsizetype holdersOf(NodeKind kind, const QList<LockRow> &line)
{
    if (kind == NodeKind::ReadWriteLock) {
        QByteArrayList order;
        for (const LockRow &row : line)
            order.append(row.ticket);
        return recipes::ReadWriteLock::holders(order);
    }
    if (kind != NodeKind::KazooReadLock && kind != NodeKind::KazooLock)
        return kind == NodeKind::Barrier ? line.size() : 1;
    const auto writer = std::find_if(line.begin(), line.end(), [](const LockRow &row) {
        return recipes::kindOf(row.ticket) != NodeKind::KazooReadLock;
    });
    return std::max<qsizetype>(1, writer - line.begin());
}

} // namespace

NodeKind lockKindOf(const QByteArrayList &names)
{
    for (const QByteArray &name : names) {
        const NodeKind kind = recipes::kindOf(name);
        switch (kind) {
        case NodeKind::Mutex:
        case NodeKind::ReadWriteLock:
        case NodeKind::Latch:
        case NodeKind::WriteLock:
        case NodeKind::KazooLock:
        case NodeKind::KazooReadLock:
        case NodeKind::KazooSemaphore:
        case NodeKind::Barrier:
            return kind;
        case NodeKind::Semaphore:
            if (name == "leases")
                return kind; // "locks" alone may be anything, as Drover's own directory
            break;
        default:
            break;
        }
    }
    return NodeKind::Other;
}

QByteArrayList linesOf(NodeKind kind)
{
    return kind == NodeKind::Semaphore ? QByteArrayList{"leases", "locks"} : QByteArrayList{""};
}

QByteArrayList placesIn(NodeKind kind, const QByteArrayList &names)
{
    if (kind != NodeKind::KazooSemaphore && kind != NodeKind::Barrier)
        return recipes::sortedBySequence(names);
    QByteArrayList places = names;
    places.removeIf([kind](const QByteArray &name) {
        return kind == NodeKind::Barrier ? name == "ready" : recipes::kindOf(name) != kind;
    });
    return places;
}

QList<LockRow> placed(NodeKind kind, QList<LockRow> leases, QList<LockRow> admission)
{
    int waiting = 0;
    const auto isBeingAdmitted = [&](const LockRow &lease) {
        return !admission.isEmpty() && lease.session == admission.front().session
            && lease.czxid > admission.front().czxid;
    };
    if (isSemaphore(kind)) {
        leases.removeIf(isBeingAdmitted); // its place in the other line is shown
        for (LockRow &row : leases)
            row.place = 0;
    } else {
        const qsizetype holders = holdersOf(kind, leases);
        for (qsizetype i = 0; i < leases.size(); ++i)
            leases[i].place = i < holders ? 0 : ++waiting;
    }
    for (LockRow &row : admission)
        row.place = ++waiting;
    leases += admission;
    for (LockRow &row : leases)
        row.isOfSeveral = isSemaphore(kind);
    return leases;
}

QList<LockRow> placedInLimit(int permits, QList<LockRow> leases, QList<LockRow> admission)
{
    const qsizetype held = std::min<qsizetype>(permits, leases.size());
    int waiting = 0;
    std::set<std::pair<zk::SessionId, QByteArray>> owners; // that wait
    QList<LockRow> rows = leases + admission;
    for (qsizetype i = 0; i < rows.size(); ++i) {
        rows[i].isOfSeveral = true;
        const bool isNew = i < held || owners.emplace(rows[i].session, rows[i].about).second;
        rows[i].place = i < held ? 0 : isNew ? ++waiting : -1;
    }
    rows.removeIf([](const LockRow &row) { return row.place < 0; });
    return rows;
}

QList<LockRow> placedInBarrier(bool isReady, QList<LockRow> members)
{
    std::sort(members.begin(), members.end(), [](const LockRow &a, const LockRow &b) { return a.czxid < b.czxid; });
    for (qsizetype i = 0; i < members.size(); ++i)
        members[i].place = isReady ? 0 : int(i) + 1;
    return members;
}

QList<LockRow> closedBarriers(const QList<LockRow> &nodes)
{
    QList<LockRow> rows;
    for (const LockRow &node : nodes)
        rows.append(LockRow{lineName(LineKind::Barrier, node.ticket), -1, {}, node.about, 0, node.since});
    return rows;
}

} // namespace drover::gui
