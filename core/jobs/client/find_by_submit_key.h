#pragma once

#include "async/future.h"
#include "async/task_group.h"
#include "jobs/model/cluster.h"

#include <QHash>

namespace drover::jobs {

// Finds jobs of a queue by JobSpec::key. A client that has lost the reply with a job's id does so. A search shows what
// the session has seen already, or something later. It needs no sync: the client has seen another node that the
// transaction wrote with the job, its receipt, its mark or its schedule.
//
//     list the queue, read its jobs ; list done/, read its records ; look up those that were listed in the queue,
//     have gone from their place and are not in done/: they have moved within the queue
//
// The queue is read before done/, because a job goes from the queue to done/ and never back. The reads take a round
// trip for each 64 nodes, lowest numbers first, and end when every job is found. Searches of a queue that are asked for
// while another is under way are made together, as one.
//
// A job whose record has been archived and deleted is not found. One that this session may not read, or that is of a
// newer format, can have any key. If not all are found, such a job is an AccessDenied.
class KeySearch
{
public:
    using Keys = QHash<QString, qint32>; // each with its place among them
    struct Found {
        JobId id;
        qint32 place = 0; // the place of its key in Keys
    };

    explicit KeySearch(Cluster cluster) : m_cluster(std::move(cluster)) { }

    // One of the jobs with these keys, unfinished or with its record in done/. Their numbers are at least `from`. Waits
    // out lost connections; throws SessionLost and AccessDenied.
    async::Task<std::optional<Found>> find(QByteArray queue, Keys keys, qint32 from);

private:
    struct Wanted {
        Keys keys;
        qint32 from = 0;
        async::Promise<std::optional<Found>> promise{};
        std::optional<Found> found{};
    };
    using All = std::vector<std::shared_ptr<Wanted>>;
    struct Candidates;

    async::Task<void> searchFor(QByteArray queue);
    async::Task<void> search(QByteArray queue, All all);
    async::Task<Candidates> list(zk::Path directory, QByteArray queue, qint32 from);
    async::Task<void> read(Candidates &among, All all);
    void answer(const All &all, std::exception_ptr error);

    Cluster m_cluster;
    std::map<QByteArray, All> m_wanted; // by queue; an entry: a task of ours looks after it
    async::TaskGroup m_searching; // last: its tasks use the rest
};

// Finds the job with one key, as KeySearch does.
async::Task<std::optional<JobId>> findByKey(Cluster cluster, QByteArray queue, QString key);

} // namespace drover::jobs
