#include "recipes/named_node.h"

#include "recipes/persist.h"
#include "recipes/unowned_create.h"
#include "recipes/until_gone.h"

namespace drover::recipes {

using zk::Answer;
using zk::Code;

namespace {

// What became of one request to create the node.
struct Made {
    Code code = Code::Ok; // Ok, NodeExists, NoNode or BadVersion
    bool underGone = false; // NoNode: what the creation was to happen under
    zk::Zxid czxid = 0;
    qint32 epoch = 0; // the version of the epoch node
};

template <typename T>
Code expected(const Answer<T> &answer)
{
    if (!answer.is(Code::NodeExists) && !answer.is(Code::NoNode) && !answer.is(Code::BadVersion))
        answer.require();
    return answer.code();
}

// ConnectionLoss is thrown.
async::Task<Made> make(zk::Coordinator &zk, zk::Path path, QByteArray data, NamedNode::Terms terms)
{
    Made made;
    if (!terms.epoch) {
        const Answer<zk::Created> created = co_await zk.create(path, data, zk::CreateMode::Ephemeral);
        made.code = expected(created);
        made.czxid = created->stat.czxid;
        co_return made;
    }
    zk::Transaction transaction;
    if (terms.under)
        terms.under->guard(transaction);
    transaction.create(path, data, zk::CreateMode::Ephemeral).set(terms.epoch->path, data, terms.epoch->version);
    const Answer<zk::Committed> committed = co_await zk.commit(transaction);
    made.code = expected(committed);
    made.underGone = !committed.ok() && committed->failedAt() < static_cast<int>(transaction.size()) - 2;
    if (committed.ok()) {
        made.czxid = committed->results.back().stat.mzxid; // of the one transaction
        made.epoch = committed->results.back().stat.version;
    }
    co_return made;
}

Fence fenceOf(const zk::Coordinator &zk, const zk::Path &path, const NamedNode::Terms &terms, const Made &made)
{
    Fence fence{path, made.czxid, zk.sessionId()};
    if (terms.epoch)
        fence.epoch = zk::Transaction::Check{terms.epoch->path, made.epoch};
    return fence;
}

// How many holders there have been with the one whose node is `czxid`; nothing if somebody has written there since.
async::Task<std::optional<qint32>> epochOf(zk::Coordinator &zk, NamedNode::Terms terms, zk::Zxid czxid)
{
    if (!terms.epoch)
        co_return 0;
    const auto look = [&] { return zk.exists(terms.epoch->path); };
    const Answer<zk::Stat> epoch = co_await persist(zk, look);
    if (epoch.ok() && epoch->mzxid == czxid)
        co_return epoch->version;
    co_return std::nullopt;
}

} // namespace

async::Task<NamedNode::Attempt> NamedNode::tryTake(zk::Coordinator &zk, zk::Path path, QByteArray data, Terms terms)
{
    const auto look = [&] { return zk.exists(path); };
    UnownedCreate unowned(zk, path);
    bool lost = false; // a create that was perhaps carried out
    Attempt attempt;
    for (;;) {
        try {
            unowned.setPossible(true);
            Made made = co_await make(zk, path, data, terms);
            if (made.code == Code::NodeExists) {
                unowned.setPossible(lost);
                const Answer<zk::Stat> present = co_await persist(zk, look);
                if (!present.ok())
                    continue;
                attempt.holder = present->czxid;
                if (!lost || present->ephemeralOwner != zk.sessionId()) {
                    unowned.setPossible(false);
                    co_return attempt;
                }
                made.czxid = present->czxid;
                const std::optional<qint32> epoch = co_await epochOf(zk, terms, made.czxid);
                if (!epoch)
                    co_return attempt; // ours, but not provably the latest: it is given back
                made.epoch = *epoch;
                made.code = Code::Ok;
            }
            if (made.code == Code::Ok) {
                unowned.setPossible(false);
                attempt.node.emplace(zk, fenceOf(zk, path, terms, made));
                co_return attempt;
            }
            if (made.underGone || made.code == Code::BadVersion) {
                unowned.setPossible(lost);
                co_return attempt;
            }
            unowned.setPossible(false);
            co_await zk.ensurePath(path.parent());
            if (terms.epoch)
                co_await zk.ensurePath(terms.epoch->path);
            continue;
        } catch (const zk::ConnectionLoss &) {
            lost = true;
        }
        co_await zk.connected();
    }
}

async::Task<NamedNode> NamedNode::take(zk::Coordinator &zk, zk::Path path, QByteArray data,
                                       std::optional<zk::Path> epoch)
{
    Terms terms;
    if (epoch)
        terms.epoch = zk::Transaction::Check{*epoch, zk::AnyVersion};
    for (;;) {
        Attempt attempt = co_await tryTake(zk, path, data, terms);
        if (attempt.node)
            co_return std::move(*attempt.node);
        co_await untilGone(zk, path, attempt.holder);
    }
}

} // namespace drover::recipes
