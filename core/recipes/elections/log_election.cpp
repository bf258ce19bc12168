#include "recipes/elections/log_election.h"

#include "recipes/blocks/child_nodes.h"
#include "recipes/blocks/persistent.h"
#include "recipes/blocks/until_gone.h"

#include <algorithm>
#include <map>

namespace drover::recipes {

using zk::Answer;

namespace {

// What a candidate publishes.
struct Voice {
    qint64 number = 0;
    zk::Zxid ballot = 0;
    QByteArray id; // may contain anything
    QByteArray node; // its name

    QByteArray encode() const { return QByteArray::number(number) + ' ' + QByteArray::number(ballot) + ' ' + id; }
    qint32 sequence() const { return *zk::sequenceOf(node); }
};

std::optional<Voice> decode(const ChildNode &child)
{
    const QByteArray &data = child.node.data;
    const qsizetype first = data.indexOf(' ');
    const qsizetype second = data.indexOf(' ', first + 1);
    if (first < 0 || second < 0 || !zk::sequenceOf(child.name))
        return std::nullopt;
    bool numberOk = false;
    bool ballotOk = false;
    Voice voice{data.left(first).toLongLong(&numberOk), data.mid(first + 1, second - first - 1).toLongLong(&ballotOk),
                data.mid(second + 1), child.name};
    if (!numberOk || !ballotOk)
        return std::nullopt;
    return voice;
}

bool leadsBefore(const Voice &a, const Voice &b)
{
    return a.number != b.number ? a.number > b.number : zk::sequenceBefore(a.sequence(), b.sequence());
}

// The node of the winner, if a majority has spoken.
std::optional<QByteArray> winner(const std::vector<ChildNode> &candidates, zk::Zxid ballot, int replicas)
{
    std::map<QByteArray, Voice> voices; // the newest of each id
    for (const ChildNode &child : candidates) {
        const std::optional<Voice> voice = decode(child);
        if (!voice || voice->ballot != ballot)
            continue;
        const auto [known, isNew] = voices.emplace(voice->id, *voice);
        if (!isNew && zk::sequenceBefore(known->second.sequence(), voice->sequence()))
            known->second = *voice;
    }
    if (2 * static_cast<int>(voices.size()) <= replicas)
        return std::nullopt;
    const auto first = std::min_element(voices.begin(), voices.end(),
                                        [](const auto &a, const auto &b) { return leadsBefore(a.second, b.second); });
    return first->second.node;
}

} // namespace

async::Task<Leadership> LogElection::campaign(QByteArray id, LastNumber lastNumber)
{
    for (;;) {
        const zk::Stat epoch = co_await beginBallot();
        const QByteArray voice = Voice{lastNumber(), epoch.mzxid, id, {}}.encode();
        const Ticket::Taken candidate = co_await Ticket::take(m_zk, candidates(), "n-", voice);
        std::optional<NamedNode> leader = co_await contest(candidate.ticket, id, epoch);
        if (leader)
            co_return Leadership(std::move(*leader));
    }
}

// Returns when there is no leader, with the epoch as it was before that was seen.
async::Task<zk::Stat> LogElection::beginBallot()
{
    for (;;) {
        co_await m_zk.ensurePath(epochPath());
        const Answer<zk::Stat> epoch = co_await Persistent(m_zk).exists(epochPath());
        const Answer<zk::Stat> leader = co_await Persistent(m_zk).exists(leaderPath());
        if (leader.ok())
            co_await untilGone(m_zk, leaderPath(), leader->czxid);
        else if (epoch.ok())
            co_return *epoch;
    }
}

// The leader's node if we win; nothing when the ballot is over, or when our candidate is gone.
async::Task<std::optional<NamedNode>> LogElection::contest(const Ticket &candidate, QByteArray id, zk::Stat epoch)
{
    NamedNode::Terms terms;
    terms.epoch = zk::Transaction::Check{epochPath(), epoch.version};
    terms.under = candidate.fence();
    for (;;) {
        zk::Watch epochWatch;
        zk::Watch candidatesWatch;
        const Answer<zk::Node> now = co_await Persistent(m_zk).get(epochPath(), epochWatch);
        if (!now.ok() || now->stat.mzxid != epoch.mzxid)
            co_return std::nullopt;
        const std::vector<ChildNode> present = co_await childNodes(m_zk, candidates(), &candidatesWatch);
        const bool there = std::any_of(present.begin(), present.end(),
                                       [&](const ChildNode &child) { return child.name == candidate.name(); });
        if (!there)
            co_return std::nullopt;
        if (winner(present, epoch.mzxid, m_replicas) == candidate.name()) {
            NamedNode::Taken taken = co_await NamedNode::tryTake(m_zk, leaderPath(), id, terms);
            co_return std::move(taken.node);
        }
        const async::Future<zk::WatchEvent> epochChanged = epochWatch.fired();
        const async::Future<zk::WatchEvent> candidatesChanged = candidatesWatch.fired();
        co_await async::anyReady(epochChanged, candidatesChanged);
    }
}

} // namespace drover::recipes
