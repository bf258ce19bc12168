#include "jobs/model/worker_info.h"

namespace drover::jobs {

template <class Fields, class Record>
void WorkerInfo::fields(Fields &each, Record &info)
{
    each("id", info.id);
    each("host", info.host);
    each("pid", info.pid);
    each("slots", info.slotCount, {1, 1 << 20});
    each("memory", info.memory);
    each("labels", info.labels);
    each("cordon", info.cordon);
    each("trouble", info.trouble);
    each("holds_back", info.holdsBack);
    each("refused", info.refused);
    each("queues", info.queues);
    each("spool", info.spool);
    each("spool_place", info.spoolPlace);
    each("endpoint", info.endpoint);
    each("history", info.history);
    each("started_ms", info.startedAt);
    each("version", info.version);
    each("as_root", info.asRoot);
    each("unbounded", info.unbounded);
    each("renewal", info.renewal);
}

QByteArray WorkerInfo::encode() const
{
    return encodeRecord(*this);
}

WorkerInfo WorkerInfo::decode(const QByteArray &bytes)
{
    WorkerInfo info = decodeRecord<WorkerInfo>(bytes);
    if (info.slotCount == 0)
        throw Malformed(QStringLiteral("field \"slots\" is missing"));
    return info;
}

} // namespace drover::jobs
