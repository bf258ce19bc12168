#pragma once

#include "history/location.h"

#include <QStringList>

#include <vector>

namespace drover::history {

// The differences between SQLite and PostgreSQL. All other SQL is understood by both.
struct Dialect {
    const char *driver; // name of the Qt driver
    const char *package; // Debian package with the driver
    QString options; // connection options in the driver's syntax
    QStringList onConnect;
    QString beginWrite; // begins a transaction that will write
    QString lockSchema; // excludes other migrations until the commit
    QString textMatches; // condition; its placeholder takes textQuery()
    QString newestMatches; // condition on the rows archived last; takes their number, too
    QString hasTag; // condition; its placeholder takes tagValue()
    QString nameEquals; // condition on the name alone; can use an index
    QString recordNumber; // %1 is a field of the record: its number, or 0
    QString textKey; // %1 is a column of texts of any length: what an index has of it, and what orders by it
    std::vector<QStringList> migrations; // [n] leads from schema n to n + 1

    // The statements that make indexes which are no part of a schema, by the index's name. A program that does not know
    // them reads and writes the same, so that masters of an earlier version go on archiving.
    std::vector<std::pair<QString, QString>> indexes;

    static constexpr int SchemaOfTally = 3;
    int schema() const { return static_cast<int>(migrations.size()); }
    // Matches texts in which every one of `words` begins a word.
    QString textQuery(const QStringList &words) const;
    QString tagValue(const QString &tag) const;
    // Whether this error code of the engine means that it refuses the content of a row.
    bool isRefusal(const QString &errorCode) const;

    Location::Engine engine;

    static const Dialect &of(const Location &location);
};

} // namespace drover::history
