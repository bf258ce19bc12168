#include "jobs/dedupe.h"

#include "jobs/job_lookup.h"

namespace drover::jobs {

namespace {

constexpr int Version = 1;

} // namespace

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

QByteArray DedupeMark::encode() const
{
    return JsonWriter(Version).add("key", key).add("id", id ? id->toString() : QString()).bytes();
}

DedupeMark DedupeMark::decode(const QByteArray &bytes)
{
    const JsonFields fields(bytes, Version);
    return {fields.string("key"), JobId::parse(fields.string("id"))};
}

} // namespace drover::jobs
