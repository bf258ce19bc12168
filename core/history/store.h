#pragma once

#include "history/database.h"
#include "history/query.h"

#include <functional>

namespace drover::history {

// What can be done with a history, each call in a transaction of its own. For one thread, which it blocks; everything
// throws HistoryError, and the next call then begins with a new connection.
class Store
{
public:
    Store(Location location, Access access) : m_database(std::move(location), access) { }

    // Adds those that are not there; one (cluster, its making, job, attempt) is there once, however often it is
    // archived and by how many. On the disk when it returns. Returns how many were new. Throws StaleMaster if a master
    // of a later epoch has archived into it: the transaction itself compares them.
    //
    // One that the database refuses for what is in it stops none of the others: it is archived without the texts by
    // which it would be found, and if it is refused then, too, without all of its texts. Throws RecordRefused if even
    // that is refused.
    qint64 archive(const Batch &batch);
    Page query(const Query &query);
    qint64 count(const Query &query); // without its limit
    std::vector<Group> summarize(const Query &query, GroupBy by); // the largest first, or the latest; at most its limit
    // Removes a part of what is too much, the oldest first. Returns how many; 0 once nothing is left to remove. Throws
    // StaleMaster as archive() does: a deposed master may go by limits that are no longer the cluster's.
    qint64 prune(const QByteArray &cluster, const Retention &retention, const Term &term = {});
    Coverage coverage(const QByteArray &cluster);

private:
    template <typename Work>
    auto attempt(const Work &work) -> decltype(work());

    using Insert = std::function<qint64(std::size_t begin, std::size_t end)>;

    void enter(const QByteArray &cluster, const Term &term);
    qint64 archiveBy(const Insert &insert, const Batch &batch);
    qint64 insertRows(const QStringList &rows, const QVariantList &values);
    qint64 insert(const Batch &batch, std::size_t begin, std::size_t end);
    qint64 insertCarefully(const Batch &batch, std::size_t begin, std::size_t end);
    qint64 insertWithout(const Batch &batch, const Entry &entry);
    template <typename Work>
    std::optional<qint64> unlessRefused(const Work &work, QString &refusal);

    Database m_database;
};

} // namespace drover::history
