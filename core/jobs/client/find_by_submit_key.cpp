#include "jobs/client/find_by_submit_key.h"

#include "jobs/client/job_lookup.h"
#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/persistent.h"

#include <QSet>

#include <algorithm>

namespace drover::jobs {

using recipes::Persistent;
using zk::Answer;

namespace {

// Of a job's node, or of a final record. Nothing: only a newer drover can tell.
std::optional<QString> keyOf(const QByteArray &stored)
{
    try {
        const JobRecord record = JobRecord::parse(stored);
        if (record.isOfSchedule())
            return JobSpec::decode(record, {}, 0).key;
        return JsonFields(record.text).string("key");
    } catch (const NewerFormat &) {
        return std::nullopt;
    } catch (const Malformed &) {
        return QString();
    }
}

async::Task<QString> keyOf(Cluster cluster, JobId id)
{
    try {
        const JobView job = co_await lookUp(cluster, id);
        co_return job.spec ? job.spec->key : job.record ? job.record->key : QString();
    } catch (const NotFound &) {
    }
    co_return QString();
}

} // namespace

struct KeySearch::Candidates {
    std::vector<std::pair<JobId, zk::Path>> all; // by number
    std::vector<JobId> gone{}; // from their place, when they were read
    std::optional<zk::Path> refused{}; // the first that cannot be read by this session, or only by a newer drover
};

namespace {

template <typename All>
bool isDone(const All &all)
{
    return std::all_of(all.begin(), all.end(), [](const auto &wanted) { return wanted->found.has_value(); });
}

template <typename All>
void note(const All &all, const QString &key, const JobId &id)
{
    for (const auto &wanted : all) {
        const auto place = wanted->keys.constFind(key);
        if (!key.isEmpty() && place != wanted->keys.constEnd() && !wanted->found)
            wanted->found = KeySearch::Found{id, *place};
    }
}

} // namespace

async::Task<std::optional<KeySearch::Found>> KeySearch::find(QByteArray queue, Keys keys, qint32 from)
{
    const auto wanted = std::make_shared<Wanted>();
    wanted->keys = std::move(keys);
    wanted->from = from;
    const async::Future<std::optional<Found>> found = wanted->promise.future();
    const auto [entry, isNew] = m_wanted.try_emplace(queue);
    entry->second.push_back(wanted);
    if (isNew)
        m_searching.spawn(searchFor(queue));
    co_return co_await found;
}

// Until nothing is wanted of this queue any more. Begins in the loop's next turn: what is asked for at once is one
// search.
async::Task<void> KeySearch::searchFor(QByteArray queue)
{
    co_await async::sleepFor(m_cluster.zk.loop(), async::Duration::zero());
    for (;;) {
        const All all = std::exchange(m_wanted[queue], {});
        if (all.empty())
            break;
        std::exception_ptr failure;
        try {
            co_await search(queue, all);
        } catch (...) {
            failure = std::current_exception();
        }
        answer(all, failure);
    }
    m_wanted.erase(queue);
}

async::Task<void> KeySearch::search(QByteArray queue, All all)
{
    const zk::Path queuePath = m_cluster.layout.queue(queue);
    const auto least =
        std::min_element(all.begin(), all.end(), [](const auto &a, const auto &b) { return a->from < b->from; });
    const qint32 from = (*least)->from;
    Candidates unfinished = co_await list(queuePath, queue, from);
    co_await read(unfinished, all);
    if (isDone(all))
        co_return;
    Candidates ended = co_await list(m_cluster.layout.done(), queue, from);
    co_await read(ended, all); // nothing more can be known of records that have gone
    QSet<JobId> known;
    for (const auto &[id, path] : ended.all)
        known.insert(id);
    for (const JobId &id : unfinished.gone) {
        if (isDone(all))
            co_return;
        if (known.contains(id))
            continue;
        const QString key = co_await keyOf(m_cluster, id);
        note(all, key, id);
    }
    if (isDone(all))
        co_return;
    if (const std::optional<zk::Path> refused = unfinished.refused ? unfinished.refused : ended.refused)
        throw zk::AccessDenied(
            zk::Code::NoAuth,
            QStringLiteral("%1 may be the job that is looked for, and cannot be read here").arg(refused->toString()));
}

async::Task<KeySearch::Candidates> KeySearch::list(zk::Path directory, QByteArray queue, qint32 from)
{
    const Answer<zk::Children> children = co_await Persistent(m_cluster.zk).children(directory);
    Candidates found;
    for (const QByteArray &name : children->names) {
        const std::optional<QueueEntry> entry = QueueEntry::parse(name);
        const std::optional<JobId> id = entry ? entry->idIn(queue) : JobId::parse(QString::fromUtf8(name));
        if (id && id->queue == queue && id->number >= from && !id->isTask())
            found.all.emplace_back(*id, directory / name);
    }
    std::sort(found.all.begin(), found.all.end());
    co_return found;
}

// A flight of nodes in memory at a time.
async::Task<void> KeySearch::read(Candidates &among, All all)
{
    for (std::size_t begin = 0; begin < among.all.size() && !isDone(all); begin += Flight) {
        const std::size_t end = std::min(begin + Flight, among.all.size());
        std::vector<zk::Path> paths;
        for (std::size_t i = begin; i < end; ++i)
            paths.push_back(among.all[i].second);
        const std::vector<Answer<zk::Node>> nodes = co_await readNodes(m_cluster.zk, std::move(paths));
        for (std::size_t i = begin; i < end; ++i) {
            const Answer<zk::Node> &node = nodes[i - begin];
            const std::optional<QString> key = node.ok() ? keyOf(node->data) : QString();
            if (key)
                note(all, *key, among.all[i].first);
            if (node.is(zk::Code::NoNode))
                among.gone.push_back(among.all[i].first);
            if ((node.is(zk::Code::NoAuth) || !key) && !among.refused)
                among.refused = among.all[i].second;
        }
    }
}

// From the loop: who is resumed may destroy us.
void KeySearch::answer(const All &all, std::exception_ptr error)
{
    m_cluster.zk.loop().post([all, error] {
        for (const std::shared_ptr<Wanted> &wanted : all) {
            if (error && !wanted->found)
                wanted->promise.fail(error);
            else
                wanted->promise.set(wanted->found);
        }
    });
}

async::Task<std::optional<JobId>> findByKey(Cluster cluster, QByteArray queue, QString key)
{
    KeySearch search(cluster);
    KeySearch::Keys keys;
    keys.insert(key, 0);
    const std::optional<KeySearch::Found> found = co_await search.find(queue, keys, 0);
    co_return found ? std::optional<JobId>(found->id) : std::nullopt;
}

} // namespace drover::jobs
