#include "jobs/client/dedupe.h"

#include "jobs/client/job_lookup.h"

namespace drover::jobs {

async::Task<bool> isThere(Cluster cluster, JobId id, QString key)
{
    try {
        const JobView job = co_await lookUp(cluster, id);
        const QString found = job.spec ? job.spec->key : job.record ? job.record->key : key;
        co_return found == key;
    } catch (const NotFound &) {
    }
    co_return false;
}

template <class Fields, class Record>
void DedupeMark::fields(Fields &each, Record &mark)
{
    each("key", mark.key);
    each.as("id", mark.id, idText, JobId::parse);
}

QByteArray DedupeMark::encode() const
{
    return encodeRecord(*this);
}

DedupeMark DedupeMark::decode(const QByteArray &bytes)
{
    return decodeRecord<DedupeMark>(bytes);
}

} // namespace drover::jobs
