#include "files/ledgers.h"

#include "jobs/model/json_fields.h"
#include "recipes/blocks/persistent.h"
#include "recipes/locks/mutex.h"

#include <QFileInfo>

#include <algorithm>

namespace drover::files {

using recipes::Persistent;

namespace {

constexpr qsizetype MostSearched = 1000; // ledgers; among more, a record may be anywhere

async::Task<std::optional<StoredLedger>> readNode(zk::Client &zk, zk::Path node)
{
    const zk::Answer<zk::Node> meta = co_await Persistent(zk).get(node / "meta");
    if (!meta.ok())
        co_return std::nullopt;
    const zk::Answer<zk::Stat> lock = co_await Persistent(zk).exists(node / "lock");
    StoredLedger stored;
    stored.node = node;
    stored.stat = meta->stat;
    stored.writers = lock.ok() ? lock->numChildren : 0;
    try {
        stored.ledger = Ledger::decode(meta->data);
    } catch (const jobs::Malformed &error) {
        stored.malformed = QString::fromUtf8(error.what());
    }
    co_return stored;
}

} // namespace

async::Task<std::optional<StoredLedger>> readLedger(zk::Client &zk, jobs::Layout layout, QString path)
{
    const zk::Path node = layout.file(path);
    const zk::Answer<zk::Nothing> synced = co_await Persistent(zk).sync(node);
    co_return co_await readNode(zk, node);
}

async::Task<std::vector<StoredLedger>> readLedgers(zk::Client &zk, jobs::Layout layout, qsizetype most)
{
    const zk::Answer<zk::Children> nodes = co_await Persistent(zk).children(layout.files());
    std::vector<StoredLedger> ledgers;
    for (const QByteArray &name : nodes->names.first(std::min(most, nodes->names.size()))) {
        std::optional<StoredLedger> stored = co_await readNode(zk, layout.files() / name);
        if (stored)
            ledgers.push_back(std::move(*stored));
    }
    const auto byPath = [](const StoredLedger &a, const StoredLedger &b) { return a.ledger.path < b.ledger.path; };
    std::sort(ledgers.begin(), ledgers.end(), byPath);
    co_return ledgers;
}

async::Task<bool> mayHaveRecord(zk::Client &zk, jobs::Layout layout, QString path, QByteArray key)
{
    const zk::Answer<zk::Nothing> synced = co_await Persistent(zk).sync(layout.files());
    const std::vector<StoredLedger> ledgers = co_await readLedgers(zk, layout, MostSearched);
    const QString name = QFileInfo(path).fileName();
    const auto hasKey = [&key](const PendingRecord &pending) { return pending.record.key == key; };
    const auto mayHave = [&](const StoredLedger &stored) {
        const Ledger &ledger = stored.ledger;
        return !stored.malformed.isEmpty() || QFileInfo(ledger.path).fileName() == name
            || std::any_of(ledger.pending.begin(), ledger.pending.end(), hasKey);
    };
    co_return ledgers.size() >= std::size_t(MostSearched) || std::any_of(ledgers.begin(), ledgers.end(), mayHave);
}

async::Task<bool> forgetLedger(zk::Client &zk, jobs::Layout layout, QString path)
{
    const zk::Path node = layout.file(path);
    const zk::Path meta = node / "meta";
    const std::optional<StoredLedger> stored = co_await readNode(zk, node);
    if (!stored)
        co_return false;
    recipes::Mutex mutex(zk, node / "lock");
    const recipes::Lock lock = co_await mutex.acquire("drover files forget");
    zk::Transaction transaction;
    lock.fence().guard(transaction).remove(meta);
    for (;;) {
        try {
            const zk::Answer<zk::Committed> committed = co_await zk.commit(transaction);
            const bool gone = committed->refusedAt() == 1u && committed->results[1].code == zk::Code::NoNode;
            if (!committed.ok() && !gone)
                committed.require(); // throws: the lock's node is gone
            co_return true;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

} // namespace drover::files
