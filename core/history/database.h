#pragma once

#include "history/dialect.h"

#include <QSqlQuery>
#include <QVariantList>

namespace drover::history {

enum class Access {
    Read, // of a history that is there, also one of an older schema; nothing is made or changed
    Write, // makes it, and brings an older one up to date
};

// One connection. It belongs to the thread that makes it, which it may block for seconds; made on demand, and made anew
// after it was closed. Everything throws HistoryError.
class Database
{
public:
    Database(Location location, Access access);
    Database(const Database &) = delete;
    Database &operator=(const Database &) = delete;
    ~Database();

    // Does nothing when it is open. Throws NoHistory if there is nothing to read; refuses a history whose schema is
    // newer than this program's. Throws once that the file it had open is no longer the one of that name.
    void open();
    void close();

    // A statement with its values for the question marks; forward only.
    QSqlQuery exec(const QString &sql, const QVariantList &values = {});

    const Dialect &dialect() const { return m_dialect; }
    const Location &location() const { return m_location; }

    // Rolled back unless committed.
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

    const Location m_location;
    const Access m_access;
    const Dialect &m_dialect;
    const QString m_name; // Qt's, of the connection
    quint64 m_inode = 0; // of the file that is open
};

} // namespace drover::history
