#include "gui/models/wait_graph.h"

#include "gui/data/line_name.h"
#include "gui/text/counted.h"
#include "gui/text/entity_text.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <set>

namespace drover::gui {

namespace {

using Kind = WaitGraph::Kind;

struct GraphWords {
    Q_DECLARE_TR_FUNCTIONS(WaitGraph)
};

// A worker writes the id of its job about itself, other programs what they are.
WaitGraph::Node nodeOf(const LockRow &row)
{
    const QString about =
        wasAsked(row) ? GraphWords::tr("(was asked to let go)") : text::printable(ownWordsOf(row).left(80));
    const bool isJob = jobs::JobId::parse(QString::fromUtf8(row.about.left(80))).has_value();
    const QString remark = row.session == 0 ? GraphWords::tr("no session: leaked")
                                            : GraphWords::tr("session 0x%1").arg(row.session, 0, 16);
    return {isJob ? Kind::Job : Kind::Process, about.isEmpty() ? GraphWords::tr("(does not say)") : about, remark, {}};
}

WaitGraph::Node nodeOf(const QByteArray &lock, qsizetype waiting)
{
    const LineKind line = kindOfLine(lock);
    return {line == LineKind::Limit          ? Kind::Limit
                : line == LineKind::Election ? Kind::Election
                                             : Kind::Lock,
            entityText({EntityRef::Kind::Lock, lock}), counted(waiting, Things::Waiters), lock};
}

// One lock with those who hold it and wait for it.
struct Line {
    QByteArray lock;
    QList<const LockRow *> holders;
    QList<const LockRow *> waiters;
    bool isInCircle = false;
};

class Builder
{
public:
    Builder(const QList<Deadlock> &deadlocks, std::size_t mostNodes) : m_mostNodes(mostNodes)
    {
        for (const Deadlock &deadlock : deadlocks) {
            m_circle.insert(deadlock.owners.begin(), deadlock.owners.end());
            for (const LockRow &row : deadlock.waiting)
                m_circleLocks.insert(row.lock);
        }
    }

    bool isInCircle(const QByteArray &lock) const { return m_circleLocks.contains(lock); }

    // False: there is no room for it.
    bool add(const Line &line)
    {
        const qsizetype shown = std::min(line.waiters.size(), WaitGraph::WaitersShown);
        if (m_graph.nodes.size() + std::size_t(2 + line.holders.size() + shown) > m_mostNodes)
            return false;
        const int lock = put(nodeOf(line.lock, line.waiters.size()), isInCircle(line.lock));
        for (const LockRow *const holder : line.holders)
            join(lock, owner(*holder), false);
        QList<const LockRow *> waiters = line.waiters;
        std::stable_partition(waiters.begin(), waiters.end(),
                              [this](const LockRow *row) { return m_circle.contains(ownerOf(*row)); });
        for (const LockRow *const waiter : waiters.first(shown))
            join(owner(*waiter), lock, true);
        const qsizetype others = waiters.size() - shown;
        if (others > 0)
            join(put({Kind::Others,
                      GraphWords::tr("%1 more").arg(text::formatCount(others)),
                      GraphWords::tr("wait"),
                      {}},
                     false),
                 lock, true);
        return true;
    }

    // Between owners that have nodes.
    void add(const Nesting &nesting)
    {
        const auto outer = m_owners.find(nesting.outer);
        const auto inner = m_owners.find(ownerOf(nesting.inner));
        if (outer != m_owners.end() && inner != m_owners.end())
            join(outer->second, inner->second, true);
    }

    WaitGraph take() { return std::move(m_graph); }

private:
    int put(WaitGraph::Node node, bool inCircle)
    {
        node.isInCircle = inCircle;
        m_graph.nodes.push_back(std::move(node));
        return int(m_graph.nodes.size()) - 1;
    }
    int owner(const LockRow &row)
    {
        const auto [place, isNew] = m_owners.try_emplace(ownerOf(row), 0);
        if (isNew)
            place->second = put(nodeOf(row), m_circle.contains(ownerOf(row)));
        return place->second;
    }
    void join(int from, int to, bool waits)
    {
        const bool inCircle = m_graph.nodes[std::size_t(from)].isInCircle && m_graph.nodes[std::size_t(to)].isInCircle;
        m_graph.arrows.push_back({from, to, waits, inCircle});
    }

    const std::size_t m_mostNodes;
    std::set<LockOwner> m_circle;
    std::set<QByteArray> m_circleLocks;
    std::map<LockOwner, int> m_owners;
    WaitGraph m_graph;
};

} // namespace

WaitGraph WaitGraph::of(const QList<LockRow> &rows, const QList<Deadlock> &deadlocks, std::size_t mostNodes)
{
    Builder builder(deadlocks, mostNodes);
    std::map<QByteArray, Line> lines;
    for (const LockRow &row : rows) {
        Line &line = lines[row.lock];
        line.lock = row.lock;
        if (row.place >= 0)
            (row.place == 0 ? line.holders : line.waiters).append(&row);
    }
    std::vector<const Line *> order;
    for (auto &[lock, line] : lines) {
        line.isInCircle = builder.isInCircle(lock);
        if (!line.waiters.isEmpty())
            order.push_back(&line);
    }
    std::stable_sort(order.begin(), order.end(), [](const Line *a, const Line *b) {
        return std::pair(!a->isInCircle, -a->waiters.size()) < std::pair(!b->isInCircle, -b->waiters.size());
    });
    qsizetype left = 0;
    for (const Line *const line : order)
        left += builder.add(*line) ? 0 : 1;
    for (const Nesting &nesting : nestingsIn(rows))
        builder.add(nesting);
    WaitGraph graph = builder.take();
    graph.left = left;
    return graph;
}

} // namespace drover::gui
