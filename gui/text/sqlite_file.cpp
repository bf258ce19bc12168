#include "gui/text/sqlite_file.h"

#include "gui/text/private_file.h"

#include <QUuid>

namespace drover::gui {

SqliteError::SqliteError(const QString &what, const QSqlError &error) : std::runtime_error(what.toStdString())
{
    constexpr int Primary = 0xff; // the other bits say more of the same
    constexpr int Busy = 5; // SQLITE_BUSY
    m_isBusy = (error.nativeErrorCode().toInt() & Primary) == Busy;
}

SqliteFile::Connection::Connection() : name(QUuid::createUuid().toString()) { }

SqliteFile::SqliteFile(const QString &path, std::chrono::milliseconds patience)
{
    if (const QString why = makePrivate(path); !why.isEmpty())
        throw SqliteError(why);
    m_database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_connection.name);
    m_database.setDatabaseName(path);
    m_database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=%1").arg(patience.count()));
    if (!m_database.open())
        throw SqliteError(QStringLiteral("%1: %2").arg(path, m_database.lastError().databaseText()),
                          m_database.lastError());
    exec(QStringLiteral("PRAGMA auto_vacuum = INCREMENTAL")); // of a new file
    exec(QStringLiteral("PRAGMA journal_mode = WAL"));
    exec(QStringLiteral("PRAGMA synchronous = NORMAL"));
}

QSqlQuery SqliteFile::exec(const QString &sql, const QVariantList &values)
{
    QSqlQuery query(m_database);
    query.setForwardOnly(true);
    bool done = query.prepare(sql);
    for (const QVariant &value : values)
        query.addBindValue(value);
    done = done && query.exec();
    if (!done)
        throw SqliteError(QStringLiteral("%1: %2").arg(path(), query.lastError().databaseText()), query.lastError());
    return query;
}

qint64 SqliteFile::number(const QString &sql, const QVariantList &values, qint64 none)
{
    QSqlQuery query = exec(sql, values);
    return query.next() && !query.isNull(0) ? query.value(0).toLongLong() : none;
}

} // namespace drover::gui
