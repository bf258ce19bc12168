#include "recipes/blocks/named_node.h"

#include "recipes/blocks/orphan_guard.h"
#include "recipes/blocks/persistent.h"
#include "recipes/blocks/until_gone.h"

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
async::Task<Made> make(zk::Client &zk, zk::Path path, QByteArray data, QByteArray mark, NamedNode::Terms terms)
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
    const std::optional<std::size_t> refused = committed->refusedAt();
    made.underGone = !committed.ok() && (!refused || *refused < transaction.size() - 2);
    if (committed.ok()) {
        made.czxid = committed->results.back().stat.mzxid; // of the one transaction
        made.epoch = committed->results.back().stat.version;
    }
    co_return made;
}

Fence fenceOf(const zk::Client &zk, const zk::Path &path, const NamedNode::Terms &terms, const Made &made)
{
    Fence fence{path, made.czxid, zk.sessionId()};
    if (terms.epoch)
        fence.epoch = zk::Transaction::Check{terms.epoch->path, made.epoch};
    return fence;
}

// How many holders there have been with the one whose node is `czxid`, if the create with this mark has made it.
async::Task<std::optional<qint32>> epochOf(zk::Client &zk, NamedNode::Terms terms, zk::Zxid czxid, QByteArray mark)
{
    if (!terms.epoch)
        co_return 0;
    const Answer<zk::Node> epoch = co_await Persistent(zk).get(terms.epoch->path);
    if (epoch.ok() && epoch->stat.mzxid == czxid && epoch->data == mark)
        co_return epoch->stat.version;
    co_return std::nullopt;
}

// Deletes the node of the create with this mark, if that was carried out and is the newest. Throws ConnectionLoss.
async::Task<void> removeMarked(zk::Client &zk, zk::Path path, zk::Path epoch, QByteArray mark)
{
    const Answer<zk::Node> last = co_await Persistent(zk).afterSync(epoch).get(epoch);
    if (!last.ok() || last->data != mark)
        co_return;
    zk::Transaction transaction;
    transaction.check(epoch, last->stat.version).remove(path);
    const Answer<zk::Committed> removed = co_await zk.commit(transaction);
    Q_UNUSED(removed) // refused: it has gone, and perhaps another has come
}

std::function<void(zk::Client &)> discardOf(const zk::Path &path, const NamedNode::Terms &terms, const QByteArray &mark)
{
    if (!terms.epoch)
        return [path](zk::Client &zk) { zk.discardOwned(path); };
    return [path, epoch = terms.epoch->path, mark](zk::Client &zk) {
        zk.retryInBackground([&zk, path, epoch, mark] { return removeMarked(zk, path, epoch, mark); });
    };
}

} // namespace

async::Task<NamedNode::Taken> NamedNode::tryTake(zk::Client &zk, zk::Path path, QByteArray data, Terms terms,
                                                 zk::Watch *watch)
{
    const QByteArray mark = zk.loop().makeUuid().toByteArray(QUuid::WithoutBraces) + ' ' + data;
    OrphanGuard orphan(zk, discardOf(path, terms, mark));
    bool lost = false; // a create that was perhaps carried out
    Taken taken;
    for (;;) {
        try {
            orphan.arm();
            Made made = co_await make(zk, path, data, mark, terms);
            if (made.code == Code::NodeExists) {
                if (!lost)
                    orphan.disarm();
                async::Task<Answer<zk::Node>> looking =
                    watch ? Persistent(zk).get(path, *watch) : Persistent(zk).get(path);
                const Answer<zk::Node> present = co_await looking;
                if (!present.ok())
                    continue;
                taken.holder = made.czxid = present->stat.czxid;
                std::optional<qint32> epoch;
                const bool ours = lost && present->stat.ephemeralOwner == zk.sessionId();
                if (ours && !terms.epoch && zk.pendingCleanups() > 0) { // one that we left may still have to be deleted
                    co_await zk.cleanupsDone();
                    continue;
                }
                if (ours)
                    epoch = co_await epochOf(zk, terms, made.czxid, mark);
                if (!epoch) {
                    orphan.disarm();
                    co_return taken;
                }
                made.epoch = *epoch;
                made.code = Code::Ok;
            }
            if (made.code == Code::Ok) {
                orphan.disarm();
                taken.node.emplace(zk, fenceOf(zk, path, terms, made));
                co_return taken;
            }
            if (made.underGone || made.code == Code::BadVersion) {
                if (!lost)
                    orphan.disarm();
                co_return taken;
            }
            orphan.disarm();
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

async::Task<NamedNode> NamedNode::take(zk::Client &zk, zk::Path path, QByteArray data, std::optional<zk::Path> epoch)
{
    Terms terms;
    if (epoch)
        terms.epoch = zk::Transaction::Check{*epoch, zk::AnyVersion};
    for (;;) {
        zk::Watch watch;
        Taken taken = co_await tryTake(zk, path, data, terms, &watch);
        if (taken.node)
            co_return std::move(*taken.node);
        const async::Future<zk::WatchEvent> fired = watch.fired();
        const zk::WatchEvent event = co_await fired;
        if (event.type != zk::WatchEvent::Type::Deleted) // its data was changed
            co_await untilGone(zk, path, taken.holder);
    }
}

} // namespace drover::recipes
