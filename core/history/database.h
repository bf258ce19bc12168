#pragma once

#include "history/dialect.h"

#include <QSqlQuery>
#include <QVariantList>

namespace drover::history {

enum class OpenMode {
    Read, // an existing history, also of an older schema
    Write, // creates it, or migrates an older schema
};

// One connection to the history. It belongs to the thread that makes it and may block that thread for seconds. It
// connects on demand, and again after close(). Every member throws HistoryError. With OpenMode::Read nothing is created
// or changed.
class Database
{
public:
    Database(Location location, OpenMode access);
    Database(const Database &) = delete;
    Database &operator=(const Database &) = delete;
    ~Database();

    // Does nothing if the connection is open. Throws NoHistory if there is nothing to read, and HistoryError if the
    // schema is newer than this program's. If another file has taken the place of the open one, it throws HistoryError
    // once.
    void open();
    void close();

    // Executes a statement; `values` replace its question marks. The result can only be read forward.
    QSqlQuery exec(const QString &sql, const QVariantList &values = {});

    // Whether the file of the open connection had that index when it was opened. Always false in PostgreSQL, which
    // chooses its indexes by statistics.
    bool hasIndex(const QString &name) const { return m_indexes.contains(name); }

    // Whether the open history keeps the number of each cluster's rows in the table `tally`.
    bool hasTally() const { return m_schema >= Dialect::SchemaOfTally; }

    const Dialect &dialect() const { return m_dialect; }
    const Location &location() const { return m_location; }

    // The destructor rolls back what was not committed.
    class Transaction
    {
    public:
        explicit Transaction(Database &database);
        Transaction(const Transaction &) = delete;
        Transaction &operator=(const Transaction &) = delete;
        ~Transaction();
        void commit();

    private:
        Database &m_database;
        bool m_open = true;
    };

private:
    void connect();
    void prepareFile() const;
    bool hasRollbackJournal();
    void execPatiently(const QString &sql);
    void requireSameFile();
    bool takeInLog();
    int readSchema();
    void migrate();
    void addIndexes();
    void readIndexes();

    const Location m_location;
    const OpenMode m_access;
    const Dialect &m_dialect;
    const QString m_name; // the connection's name in Qt
    quint64 m_inode = 0; // the open file's inode
    int m_schema = 0; // of the open history
    QStringList m_indexes; // of the open file
};

} // namespace drover::history
