#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace drover::history {

struct Dialect;

// What the jobs of a query are sorted by. Jobs that are equal in it stand in the order of their ends, and then in that
// of their archiving, in the same direction. So no two jobs have one place, and a page begins where the last one ended.
// A job without a worker, or without a submitter, has an empty one, which is the least. One that never ran took no
// time, and started before all others. The exit code is FinalRecord::exitCode().
struct Order {
    enum class By { Ended, Id, Name, State, Worker, Submitter, Ran, Cpu, Peak, Exit, Submitted, Started };

    By by = By::Ended;
    bool descending = true;

    // "name", "name:asc" or "name:desc"; nothing for any other text. Without a direction it ascends.
    static std::optional<Order> parse(const QString &text);

    // The columns that are compared, the most important one first. The last is `seq`, which no two rows share.
    QStringList columns(const Dialect &dialect) const;
    // "ended_ms DESC, seq DESC"
    QString sql(const Dialect &dialect) const;
    // That of a SQLite file which has the rows in this order, in either direction; PostgreSQL has the like. Empty: none
    // does, and the database reads all rows to sort them. That of workers may be missing: Database::hasIndex() says so.
    QString index() const;

    friend bool operator==(const Order &, const Order &) = default;
};

const QStringList &orderNames(); // "ended", "id", ...

} // namespace drover::history
