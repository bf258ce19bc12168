#pragma once

#include "async/future.h"
#include "async/task_group.h"
#include "jobs/layout.h"
#include "zk/coordinator.h"

#include <QHash>

namespace drover::jobs {

// Finds jobs of a queue by JobSpec::key: what a client does that has lost the reply which held the job's id. A search
// sees what was there when it was asked for, on whatever server:
//
//     sync ; list the queue, read its jobs ; list done/, read its records ; look up those that were listed in the queue,
//     have gone from their place and are not in done/: they have moved within the queue
//
// The queue comes before done/, for a job goes from the one to the other and never back. The reads take a round trip for
// each 64 nodes, lowest numbers first, and end when nothing more is wanted. Searches of a queue that are asked for while
// one is under way are made together, as one.
//
// A job whose record has been archived and deleted is not found.
class KeySearch
{
public:
    using Keys = QHash<QString, qint32>; // each with its place among them
    struct Found {
        JobId id;
        qint32 place = 0; // its key's
    };

    KeySearch(zk::Coordinator &zk, Layout layout) : m_zk(zk), m_layout(std::move(layout)) { }

    // One of the jobs with these keys, unfinished or with its record in done/. Their numbers are at least `from`. Waits
    // out lost connections; throws SessionLost.
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
    async::Task<void> read(const Candidates &among, All all, std::vector<JobId> &gone);
    void settle(const All &all, std::exception_ptr error);

    zk::Coordinator &m_zk;
    Layout m_layout;
    std::map<QByteArray, All> m_wanted; // by queue; an entry: a task of ours looks after it
    async::TaskGroup m_searching; // last: its tasks use the rest
};

// The same for a single key.
async::Task<std::optional<JobId>> findByKey(zk::Coordinator &zk, Layout layout, QByteArray queue, QString key);

} // namespace drover::jobs
