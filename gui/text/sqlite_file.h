#pragma once

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>

#include <chrono>
#include <stdexcept>

namespace drover::gui {

// A failure to keep something in a file or to read it, in one line with its reason.
class SqliteError final : public std::runtime_error
{
public:
    explicit SqliteError(const QString &what, const QSqlError &error = {});
    bool isBusy() const { return m_isBusy; } // another process was writing all the time: a later try may succeed

private:
    bool m_isBusy;
};

// A SQLite file of its user alone (mode 0600). Several processes may read and write it at a time. A power failure may
// cost the last transactions, never the file. All calls throw SqliteError, belong to the thread that made the object,
// and block it.
class SqliteFile
{
public:
    static constexpr std::chrono::milliseconds Patience{5'000};

    // Makes the file if it is missing. Each call waits at most `patience` for another process that writes.
    explicit SqliteFile(const QString &path, std::chrono::milliseconds patience = Patience);

    QString path() const { return m_database.databaseName(); }
    QSqlQuery exec(const QString &sql, const QVariantList &values = {});
    // The first number of the first row; `none` if there is none.
    qint64 number(const QString &sql, const QVariantList &values = {}, qint64 none = 0);
    // All that `write` executes, or nothing of it.
    template <typename Write>
    void atOnce(const Write &write)
    {
        exec(QStringLiteral("BEGIN IMMEDIATE"));
        try {
            write();
            exec(QStringLiteral("COMMIT"));
        } catch (...) {
            QSqlQuery(m_database).exec(QStringLiteral("ROLLBACK"));
            throw;
        }
    }

private:
    // Outlives its QSqlDatabase.
    struct Connection {
        Connection();
        Connection(const Connection &) = delete;
        Connection &operator=(const Connection &) = delete;
        ~Connection() { QSqlDatabase::removeDatabase(name); }

        const QString name;
    };

    const Connection m_connection;
    QSqlDatabase m_database;
};

} // namespace drover::gui
