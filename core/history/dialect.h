#pragma once

#include "history/location.h"

#include <QStringList>

#include <vector>

namespace drover::history {

// What differs between the engines: everything else is the SQL that both understand.
struct Dialect {
    const char *driver; // Qt's
    const char *package; // Debian's, that holds the driver
    QString options; // of the connection, as the driver takes them
    QStringList onConnect;
    QString beginWrite; // a transaction that will write
    QString lockSchema; // in a transaction: nobody else migrates meanwhile
    QString textMatches; // a condition with one placeholder, for textQuery()
    QString hasTag; // the same for tagValue()
    QString nameEquals; // a condition with placeholders for the name alone, so that an index finds it
    std::vector<QStringList> migrations; // [n] leads from schema n to n + 1

    int schema() const { return static_cast<int>(migrations.size()); }
    QString textQuery(const QStringList &words) const; // all of them, each as the beginning of a word
    QString tagValue(const QString &tag) const;
    // Whether a statement fails for what is in its row, by the engine's code of the error.
    bool isRefusal(const QString &errorCode) const;

    Location::Engine engine;

    static const Dialect &of(const Location &location);
};

} // namespace drover::history
