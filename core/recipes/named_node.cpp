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
async::Task<Made> make(zk::Coordinator &zk, zk::Path path, QByteArray data, QByteArray mark, NamedNode::Terms terms)
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
    transaction.create(path, data, zk::CreateMode::Ephemeral).set(terms.epoch->path, mark, terms.epoch->version);
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

// How many holders there have been with the one whose node is `czxid`, if the create with this mark has made it.
async::Task<std::optional<qint32>> epochOf(zk::Coordinator &zk, NamedNode::Terms terms, zk::Zxid czxid, QByteArray mark)
{
    if (!terms.epoch)
        co_return 0;
    const auto read = [&] { return zk.get(terms.epoch->path); };
    const Answer<zk::Node> epoch = co_await persist(zk, read);
    if (epoch.ok() && epoch->stat.mzxid == czxid && epoch->data == mark)
        co_return epoch->stat.version;
    co_return std::nullopt;
}

// Deletes a holder's node. Throws ConnectionLoss.
async::Task<void> release(zk::Coordinator &zk, Fence fence)
{
    zk::Transaction transaction;
    transaction.check(fence.epoch->path, fence.epoch->version).remove(fence.path);
    const Answer<zk::Committed> removed = co_await zk.commit(transaction);
    if (!removed.ok() && removed->failedAt() == 0) // a later holder's, or another hand was at the epoch
        zk.discardOwned(fence.path, fence.czxid);
}

// Deletes the node of the create with this mark, if that was carried out and is the newest. Throws ConnectionLoss.
async::Task<void> removeMarked(zk::Coordinator &zk, zk::Path path, zk::Path epoch, QByteArray mark)
{
    const auto read = [&] { return zk.get(epoch); };
    const Answer<zk::Node> last = co_await persistSynced(zk, epoch, read);
    if (!last.ok() || last->data != mark)
        co_return;
    zk::Transaction transaction;
    transaction.check(epoch, last->stat.version).remove(path);
    const Answer<zk::Committed> removed = co_await zk.commit(transaction);
    Q_UNUSED(removed) // refused: it has gone, and perhaps another has come
}

std::function<void(zk::Coordinator &)> discardOf(const zk::Path &path, const NamedNode::Terms &terms,
                                                 const QByteArray &mark)
{
    if (!terms.epoch)
        return [path](zk::Coordinator &zk) { zk.discardOwned(path); };
    return [path, epoch = terms.epoch->path, mark](zk::Coordinator &zk) {
        zk.oblige([&zk, path, epoch, mark] { return removeMarked(zk, path, epoch, mark); });
    };
}

} // namespace

void NamedNode::giveUp()
{
    if (!m_zk)
        return;
    zk::Coordinator *const zk = m_zk;
    m_zk.clear();
    if (m_fence.epoch)
        zk->oblige([zk, fence = m_fence] { return release(*zk, fence); });
    else
        zk->discardOwned(m_fence.path, m_fence.czxid);
}

async::Task<NamedNode::Attempt> NamedNode::tryTake(zk::Coordinator &zk, zk::Path path, QByteArray data, Terms terms,
                                                   zk::Watch *watch)
{
    const QByteArray mark = zk.loop().makeUuid().toByteArray(QUuid::WithoutBraces) + ' ' + data;
    const auto look = [&] { return watch ? zk.get(path, *watch) : zk.get(path); };
    UnownedCreate unowned(zk, discardOf(path, terms, mark));
    bool lost = false; // a create that was perhaps carried out
    Attempt attempt;
    for (;;) {
        try {
            unowned.setPossible(true);
            Made made = co_await make(zk, path, data, mark, terms);
            if (made.code == Code::NodeExists) {
                unowned.setPossible(lost);
                const Answer<zk::Node> present = co_await persist(zk, look);
                if (!present.ok())
                    continue;
                attempt.holder = made.czxid = present->stat.czxid;
                std::optional<qint32> epoch;
                const bool ours = lost && present->stat.ephemeralOwner == zk.sessionId();
                if (ours && !terms.epoch && zk.obligations() > 0) { // one that we left may still have to be deleted
                    co_await zk.obligationsMet();
                    continue;
                }
                if (ours)
                    epoch = co_await epochOf(zk, terms, made.czxid, mark);
                if (!epoch) {
                    unowned.setPossible(false);
                    co_return attempt;
                }
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
        zk::Watch watch;
        Attempt attempt = co_await tryTake(zk, path, data, terms, &watch);
        if (attempt.node)
            co_return std::move(*attempt.node);
        const async::Future<zk::WatchEvent> fired = watch.fired();
        const zk::WatchEvent event = co_await fired;
        if (event.type != zk::WatchEvent::Type::Deleted) // its data was changed
            co_await untilGone(zk, path, attempt.holder);
    }
}

} // namespace drover::recipes
