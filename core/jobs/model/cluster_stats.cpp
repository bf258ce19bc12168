#include "jobs/model/cluster_stats.h"

namespace drover::jobs {

template <class Fields, class Record>
void ClusterStats::Queue::fields(Fields &each, Record &queue)
{
    each("name", queue.name);
    each("unfinished", queue.unfinished);
    each("submitted", queue.submitted);
}

template <class Fields, class Record>
void ClusterStats::Archive::fields(Fields &each, Record &archive)
{
    each("history", archive.history);
    each("backlog", archive.backlog);
    each("error", archive.error);
    each("failing_since_ms", archive.failingSince);
    each("lost", archive.lost);
    each("aside", archive.aside);
    each("paused_since_ms", archive.pausedSince);
}

template <class Fields, class Record>
void ClusterStats::Trouble::fields(Fields &each, Record &trouble)
{
    each("subject", trouble.subject);
    each("error", trouble.error);
    each("since_ms", trouble.since);
}

template <class Fields, class Record>
void ClusterStats::fields(Fields &each, Record &stats)
{
    each("master", stats.master);
    each("since_ms", stats.masterSince);
    each("at_ms", stats.at);
    each("workers", stats.workers);
    each("claimed", stats.claimed);
    each("done", stats.done);
    each("queues", stats.queues);
    each("archive", stats.archive);
    each("troubles", stats.troubles);
}

QByteArray ClusterStats::encode() const
{
    return encodeRecord(*this);
}

ClusterStats ClusterStats::decode(const QByteArray &bytes)
{
    return decodeRecord<ClusterStats>(bytes);
}

} // namespace drover::jobs
