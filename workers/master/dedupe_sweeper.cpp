#include "workers/master/dedupe_sweeper.h"

#include "jobs/client/find_by_submit_key.h"
#include "jobs/cluster/read_nodes.h"
#include "jobs/model/errors.h"
#include "recipes/blocks/persistent.h"
#include "workers/master/base/master_commit.h"

#include <QSet>

namespace drover::workers {

using recipes::Persistent;
using zk::Answer;

namespace {

constexpr std::size_t MaxRemoved = 64; // in one transaction

} // namespace

async::Task<void> DedupeSweeper::run(recipes::Fence fence)
{
    for (;;) {
        co_await async::sleepFor(m_cluster.zk.loop(), Interval);
        const QByteArrayList queues = co_await list(m_cluster.layout.dedupe());
        std::exception_ptr refused;
        for (const QByteArray &queue : queues) {
            try {
                co_await sweep(queue, fence);
            } catch (const zk::AccessDenied &) { // it cannot be known which marks are stale: they stay
                refused = std::current_exception();
            }
        }
        if (refused)
            std::rethrow_exception(refused);
    }
}

async::Task<QByteArrayList> DedupeSweeper::list(zk::Path directory)
{
    const Answer<zk::Children> children = co_await Persistent(m_cluster.zk).children(directory);
    co_return children.ok() ? children->names : QByteArrayList();
}

async::Task<void> DedupeSweeper::sweep(QByteArray queue, recipes::Fence fence)
{
    const QByteArrayList names = co_await list(m_cluster.layout.dedupe(queue));
    Marks &known = m_known[queue];
    const QSet<QByteArray> present(names.begin(), names.end());
    std::erase_if(known, [&](const auto &mark) { return !present.contains(mark.first); });
    if (names.isEmpty())
        co_return;
    std::map<QByteArray, qint32> stale; // versions
    co_await readNew(queue, names, known, stale);

    QSet<jobs::JobId> jobs;
    const QByteArrayList entries = co_await list(m_cluster.layout.queue(queue));
    for (const QByteArray &name : entries) {
        if (const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name))
            jobs.insert(entry->idIn(queue));
    }
    const QByteArrayList records = co_await list(m_cluster.layout.done());
    for (const QByteArray &name : records) {
        if (const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromUtf8(name)))
            jobs.insert(*id);
    }
    for (const auto &[name, mark] : known) {
        if (!jobs.contains(mark.id))
            stale.emplace(name, mark.version);
    }
    for (const auto &[name, version] : stale)
        known.erase(name); // if another has replaced it, it is read again
    co_await removeAll(queue, std::move(stale), fence);
}

async::Task<void> DedupeSweeper::readNew(QByteArray queue, QByteArrayList names, Marks &known,
                                         std::map<QByteArray, qint32> &stale)
{
    names.removeIf([&](const QByteArray &name) { return known.contains(name); });
    bool isHidden = false; // some job: one search is enough to know
    for (qsizetype begin = 0; begin < names.size(); begin += static_cast<qsizetype>(jobs::Flight)) {
        const QByteArrayList some = names.mid(begin, static_cast<qsizetype>(jobs::Flight));
        std::vector<zk::Path> paths;
        for (const QByteArray &name : some)
            paths.push_back(m_cluster.layout.dedupe(queue) / name);
        const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_cluster.zk, std::move(paths));
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::optional<jobs::DedupeMark> mark =
                nodes[i].ok() ? jobs::tryDecode<jobs::DedupeMark>(nodes[i]->data) : std::nullopt;
            if (!mark)
                continue;
            const QByteArray &name = some[static_cast<qsizetype>(i)];
            const std::chrono::milliseconds made(nodes[i]->stat.mtime);
            std::optional<jobs::JobId> id = mark->id;
            if (!id && m_cluster.zk.loop().wallClock() - made < Interval)
                continue; // its submitter is about to note it
            if (!id && isHidden)
                continue;
            try {
                if (!id)
                    id = co_await jobs::findByKey(m_cluster, queue, mark->key);
            } catch (const zk::AccessDenied &) {
                isHidden = true;
                continue; // a job that may not be read can be its
            }
            if (id)
                known.emplace(name, Mark{nodes[i]->stat.version, *id});
            else
                stale.emplace(name, nodes[i]->stat.version);
        }
    }
}

async::Task<void> DedupeSweeper::removeAll(QByteArray queue, std::map<QByteArray, qint32> stale, recipes::Fence fence)
{
    while (!stale.empty()) {
        zk::Transaction transaction;
        fence.guard(transaction);
        const std::size_t guards = transaction.size();
        std::vector<QByteArray> names;
        for (const auto &[name, version] : stale) {
            if (names.size() == MaxRemoved)
                break;
            transaction.remove(m_cluster.layout.dedupe(queue) / name, version);
            names.push_back(name);
        }
        const std::optional<std::size_t> refused = co_await commitAsMaster(m_cluster.zk, std::move(transaction));
        if (refused) { // replaced meanwhile, or removed
            stale.erase(names[*refused - guards]);
            continue;
        }
        for (const QByteArray &name : names)
            stale.erase(name);
    }
}

} // namespace drover::workers
