#pragma once

#include "history/database.h"
#include "history/query.h"

#include <functional>

namespace drover::history {

// The operations on a history, each in a transaction of its own. They block the calling thread; use one thread. Every
// call throws HistoryError; the next call then begins with a new connection.
class Store
{
public:
    static constexpr int MaxSearched = 20'000; // rows from each end of a history that coverage() looks at

    Store(Location location, OpenMode access) : m_database(std::move(location), access) { }

    // Adds the entries that are missing, and returns how many it added; they are on the disk by then. An entry is
    // identified by cluster, clusterMade, job and attempt, so archiving it again changes nothing. Throws StaleMaster if
    // a master with a greater fencing token has archived. The transaction itself compares the tokens.
    //
    // An entry whose content the database refuses does not stop the others. It is archived without its search words,
    // and if it is refused again, without all of its texts. If even that is refused, the entry goes to batch.refused.
    qint64 archive(const ArchiveBatch &batch);
    Page query(const Query &query);
    qint64 count(const Query &query); // ignores query.limit
    // The last of the first `jobs` that match, in the order of the query; not set if there are fewer. So a search that
    // reads every job does so in stretches, between this cursor and the next.
    std::optional<Cursor> skip(const Query &query, qint64 jobs);
    // At most query.limit groups: the largest first, and days and hours with the latest first.
    std::vector<GroupTotals> summarize(const Query &query, GroupBy by);
    // Removes some of the jobs beyond the limits, the oldest first, and returns how many. Call it until it returns 0.
    // Throws StaleMaster as archive() does, because a deposed master may know limits that have changed since.
    qint64 prune(const QByteArray &cluster, const Retention &retention, const Term &term = {});
    // Not known are the ends of a cluster that has no row among the first or the last MaxSearched ones. Only a history
    // of a schema before the third is counted row by row.
    Coverage coverage(const QByteArray &cluster); // empty: of all

private:
    template <typename Work>
    auto attempt(const Work &work) -> decltype(work());

    using Insert = std::function<qint64(std::size_t begin, std::size_t end)>;

    void enter(const QByteArray &cluster, const Term &term);
    qint64 archiveBy(const Insert &insert, const ArchiveBatch &batch);
    qint64 insertRows(const QStringList &rows, const QVariantList &values);
    qint64 insert(const ArchiveBatch &batch, std::size_t begin, std::size_t end);
    qint64 insertCarefully(const ArchiveBatch &batch, std::size_t begin, std::size_t end);
    qint64 insertWithout(const ArchiveBatch &batch, const ArchivedJob &entry);
    qint64 countOf(const QByteArray &cluster);
    std::chrono::milliseconds endOf(const QByteArray &cluster, bool latest);
    template <typename Work>
    std::optional<qint64> unlessRefused(const Work &work, QString &refusal);

    Database m_database;
};

} // namespace drover::history
