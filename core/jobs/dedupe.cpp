#include "jobs/dedupe.h"

#include "jobs/find_key.h"
#include "jobs/job_lookup.h"
#include "recipes/persist.h"

namespace drover::jobs {

using recipes::persist;
using zk::Answer;

namespace {

constexpr int Version = 1;

// That of the mark, and not another which somebody has made under its id.
async::Task<bool> isThere(zk::Coordinator &zk, Layout layout, JobId id, QString key)
{
    try {
        const JobView job = co_await lookUp(zk, layout, id);
        const QString found = job.spec ? job.spec->key : job.record ? job.record->key : key;
        co_return found == key;
    } catch (const NotFound &) {
    }
    co_return false;
}

} // namespace

QByteArray DedupeMark::encode() const
{
    return JsonWriter(Version).add("key", key).add("id", id ? id->toString() : QString()).bytes();
}

DedupeMark DedupeMark::decode(const QByteArray &bytes)
{
    const JsonFields fields(bytes, Version);
    return {fields.string("key"), JobId::parse(fields.string("id"))};
}

async::Task<Deduped> findDeduped(zk::Coordinator &zk, Layout layout, QByteArray queue, QString dedupe)
{
    const zk::Path path = layout.dedupe(queue, dedupe);
    const auto read = [&] { return zk.get(path); };
    const Answer<zk::Node> node = co_await persist(zk, read);
    Deduped found;
    if (!node.ok())
        co_return found;
    found.marked = true;
    found.version = node->stat.version;
    DedupeMark mark;
    try {
        mark = DedupeMark::decode(node->data);
    } catch (const Malformed &) {
        co_return found; // nobody's: it may be replaced
    }
    found.key = mark.key;
    if (!mark.id) {
        found.job = co_await findByKey(zk, layout, queue, mark.key);
        co_return found;
    }
    const bool there = co_await isThere(zk, layout, *mark.id, mark.key);
    if (there)
        found.job = mark.id;
    co_return found;
}

} // namespace drover::jobs
