#include "history/database.h"

#include "history/error.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QFileInfo>
#include <QLoggingCategory>
#include <QSqlDatabase>
#include <QSqlError>
#include <QStorageInfo>
#include <QTemporaryFile>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

namespace drover::history {

Q_LOGGING_CATEGORY(lcDatabase, "drover.history.database")

namespace {

constexpr int SqliteBusy = 5; // in the last byte of a code: https://sqlite.org/rescode.html
constexpr std::chrono::seconds Patience{10}; // with others who write, as QSQLITE_BUSY_TIMEOUT

class Busy : public HistoryError
{
public:
    using HistoryError::HistoryError;
};

QString newName()
{
    static std::atomic<int> count{0};
    return QStringLiteral("drover-history-%1").arg(++count);
}

QString oneLine(const QSqlError &error)
{
    const QString text = error.databaseText().isEmpty() ? error.driverText() : error.databaseText();
    return text.section(u'\n', 0, 0).simplified();
}

QString hintFor(const Location &location)
{
    if (!location.unnamedHere)
        return {};
    return QStringLiteral(" (only the cluster's settings name it, so no password was sent; to send yours, add "
                          "history_allow = [\"%1\"] to the configuration file of this machine)")
        .arg(location.setting());
}

// 0 if there is none.
quint64 inodeOf(const QString &path)
{
    struct ::stat status {
    };
    return path.isEmpty() || ::stat(QFile::encodeName(path).constData(), &status) != 0 ? 0 : status.st_ino;
}

// For its owner alone; what went wrong, or nothing. Neither here nor elsewhere is a file opened and closed that SQLite
// may have open: the close would take the locks that this process holds on it
// (https://sqlite.org/howtocorrupt.html, 2.2).
QString makeFile(const QString &path)
{
    QTemporaryFile empty(path + QStringLiteral(".XXXXXX"));
    if (!empty.open())
        return empty.errorString();
    empty.close();
    if (::link(QFile::encodeName(empty.fileName()).constData(), QFile::encodeName(path).constData()) == 0
        || errno == EEXIST)
        return {};
    return QString::fromLocal8Bit(std::strerror(errno));
}

} // namespace

Database::Database(Location location, OpenMode access)
    : m_location(std::move(location)), m_access(access), m_dialect(Dialect::of(m_location)), m_name(newName())
{
}

Database::~Database()
{
    close();
}

void Database::open()
{
    if (QSqlDatabase::contains(m_name)) {
        requireSameFile();
        return;
    }
    try {
        connect();
        m_inode = inodeOf(m_location.file);
        const int schema = readSchema();
        if (schema > m_dialect.schema())
            throw HistoryError(
                QStringLiteral("the history %1 was written by a newer drover (schema %2, this one knows "
                               "%3): update drover on this machine")
                    .arg(m_location.display(), QString::number(schema), QString::number(m_dialect.schema())));
        if (schema == 0 && m_access == OpenMode::Read)
            throw NoHistory(QStringLiteral("there is no history in %1 yet: a worker that is started with this "
                                           "--history makes it when it is master")
                                .arg(m_location.display()));
        // A reader leaves an older one as it is: what it reads has been there since schema 1, and the masters of a
        // cluster that is not updated yet would refuse a newer one.
        if (schema < m_dialect.schema() && m_access == OpenMode::Write)
            migrate();
        m_schema = m_access == OpenMode::Write ? m_dialect.schema() : schema;
        if (m_access == OpenMode::Write)
            addIndexes();
        readIndexes();
    } catch (...) {
        close();
        throw;
    }
}

// The write-ahead log stays where the file was, and goes when another is made there. False while others read.
bool Database::takeInLog()
{
    QSqlQuery checkpoint = exec(QStringLiteral("PRAGMA wal_checkpoint(TRUNCATE)"));
    return checkpoint.next() && checkpoint.value(0).toInt() == 0;
}

// SQLite goes on writing to a file that was moved or removed; no reader would find those rows.
void Database::requireSameFile()
{
    if (m_location.engine != Location::Engine::Sqlite || inodeOf(m_location.file) == m_inode)
        return;
    if (m_access == OpenMode::Read || takeInLog())
        close();
    throw HistoryError(QStringLiteral("the file of the history %1 was moved or removed while it was in use: put it "
                                      "back, or another is begun in its place")
                           .arg(m_location.display()));
}

void Database::close()
{
    QSqlDatabase::removeDatabase(m_name); // closes it
}

void Database::connect()
{
    if (!QSqlDatabase::isDriverAvailable(QLatin1String(m_dialect.driver)))
        throw HistoryError(QStringLiteral("Qt has no driver for the history %1: install the package %2")
                               .arg(m_location.display(), QLatin1String(m_dialect.package)));
    if (m_location.engine == Location::Engine::Sqlite)
        prepareFile();
    QSqlDatabase connection = QSqlDatabase::addDatabase(QLatin1String(m_dialect.driver), m_name);
    QString options = m_dialect.options;
    if (m_location.engine == Location::Engine::Sqlite) {
        connection.setDatabaseName(m_location.file);
    } else {
        options += u';' + m_location.parameters; // after ours: libpq takes the last
        connection.setHostName(m_location.host);
        connection.setDatabaseName(m_location.database);
        connection.setUserName(m_location.user);
        connection.setPassword(m_location.password);
        connection.setPort(m_location.port);
    }
    connection.setConnectOptions(options);
    if (!connection.open())
        throw HistoryError(QStringLiteral("cannot open the history %1: %2%3")
                               .arg(m_location.display(), oneLine(connection.lastError()), hintFor(m_location)));
    if (m_location.engine == Location::Engine::Sqlite && !m_location.shared && hasRollbackJournal())
        throw HistoryError(QStringLiteral("the history %1 is one that several machines share: say shared:%2")
                               .arg(m_location.display(), m_location.file));
    for (const QString &statement : m_dialect.onConnect)
        execPatiently(statement);
}

// SQLite's own patience ends where a reader becomes a writer, as who gives a new file its journal does: of two who do
// it at the same time one would fail at once.
void Database::execPatiently(const QString &sql)
{
    const QDeadlineTimer patience(Patience);
    for (;;) {
        try {
            exec(sql);
            return;
        } catch (const Busy &) {
            if (patience.hasExpired())
                throw;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

// Treated as one machine's, it would get a write-ahead log under the hands of the others. What holds no page yet has no
// journal of either kind.
bool Database::hasRollbackJournal()
{
    QSqlQuery pages = exec(QStringLiteral("PRAGMA page_count"));
    if (!pages.next() || pages.value(0).toInt() == 0)
        return false;
    QSqlQuery mode = exec(QStringLiteral("PRAGMA journal_mode"));
    return mode.next() && mode.value(0).toString() == u"delete";
}

// The names and commands of jobs are their submitters' business: for the file's owner alone. SQLite gives the files
// beside it the same permissions.
void Database::prepareFile() const
{
    const QFileInfo info(m_location.file);
    if (m_access == OpenMode::Read && !info.exists())
        throw NoHistory(QStringLiteral("there is no history at %1: a worker on this machine makes it when it is "
                                       "master, or name another with --history")
                            .arg(m_location.display()));
    const QByteArray fileSystem = QStorageInfo(info.absolutePath()).fileSystemType();
    const bool onNetwork = fileSystem.startsWith("nfs") || fileSystem == "cifs" || fileSystem == "smb3";
    if (onNetwork && !m_location.shared)
        throw HistoryError(QStringLiteral("the history %1 lies on a network file system (%2), where a write-ahead log "
                                          "loses data: say shared:%3, or use a local disk, or postgresql://")
                               .arg(m_location.display(), QString::fromLatin1(fileSystem), m_location.file));
    const QString failure = info.exists() ? QString() : makeFile(m_location.file);
    if (!failure.isEmpty())
        throw HistoryError(QStringLiteral("cannot make the history %1: %2").arg(m_location.display(), failure));
}

// 0 for a database that holds no history.
int Database::readSchema()
{
    const QStringList tables = QSqlDatabase::database(m_name, false).tables();
    if (!tables.contains(QStringLiteral("drover_schema")))
        return 0;
    QSqlQuery version = exec(QStringLiteral("SELECT MAX(version) FROM drover_schema"));
    return version.next() ? version.value(0).toInt() : 0;
}

// Several processes may find the same old schema at the same time: the first migrates, the others look again.
void Database::migrate()
{
    if (m_location.engine == Location::Engine::Postgres) {
        QSqlQuery encoding = exec(QStringLiteral("SHOW server_encoding"));
        if (encoding.next() && encoding.value(0).toString() != u"UTF8")
            throw HistoryError(QStringLiteral("the database of the history %1 is encoded as %2: make one with "
                                              "createdb --encoding UTF8 --template template0")
                                   .arg(m_location.display(), encoding.value(0).toString()));
    }
    Transaction transaction(*this);
    if (!m_dialect.lockSchema.isEmpty())
        exec(m_dialect.lockSchema);
    exec(QStringLiteral("CREATE TABLE IF NOT EXISTS drover_schema (version INTEGER NOT NULL)"));
    for (int schema = readSchema(); schema < m_dialect.schema(); ++schema) {
        for (const QString &statement : m_dialect.migrations[static_cast<std::size_t>(schema)])
            exec(statement);
        exec(QStringLiteral("INSERT INTO drover_schema (version) VALUES (?)"), {schema + 1});
    }
    transaction.commit();
}

// Nothing depends on them but time: where one cannot be made, as by a user who may only write rows, the history does
// without. Others that write wait meanwhile, some seconds for a million rows.
void Database::addIndexes()
{
    const bool isSqlite = m_location.engine == Location::Engine::Sqlite;
    const QString exists = isSqlite ? QStringLiteral("SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?")
                                    : QStringLiteral("SELECT 1 WHERE to_regclass(?) IS NOT NULL");
    for (const auto &[name, statement] : m_dialect.indexes) {
        QSqlQuery found = exec(exists, {name});
        if (found.next())
            continue;
        found.finish();
        try {
            Transaction transaction(*this);
            if (!isSqlite)
                exec(QStringLiteral("SET LOCAL statement_timeout TO 0"));
            if (!m_dialect.lockSchema.isEmpty())
                exec(m_dialect.lockSchema);
            exec(statement);
            transaction.commit();
        } catch (const HistoryError &error) {
            qCWarning(lcDatabase, "the history is sorted without the index %ls: %s", qUtf16Printable(name),
                      error.what());
        }
    }
}

void Database::readIndexes()
{
    m_indexes.clear();
    if (m_location.engine != Location::Engine::Sqlite)
        return;
    QSqlQuery names = exec(QStringLiteral("SELECT name FROM sqlite_master WHERE type = 'index'"));
    while (names.next())
        m_indexes.append(names.value(0).toString());
}

QSqlQuery Database::exec(const QString &sql, const QVariantList &values)
{
    QSqlQuery query(QSqlDatabase::database(m_name, false));
    query.setForwardOnly(true);
    bool done = false;
    if (values.isEmpty()) {
        done = query.exec(sql);
    } else if (query.prepare(sql)) {
        for (const QVariant &value : values)
            query.addBindValue(value);
        done = query.exec();
    }
    if (done)
        return query;
    const QString trouble =
        QStringLiteral("the history %1 fails: %2").arg(m_location.display(), oneLine(query.lastError()));
    if (m_location.engine == Location::Engine::Sqlite
        && (query.lastError().nativeErrorCode().toInt() & 0xff) == SqliteBusy)
        throw Busy(trouble);
    if (m_dialect.isRefusal(query.lastError().nativeErrorCode()))
        throw RecordRefused(trouble);
    throw HistoryError(trouble);
}

Database::Transaction::Transaction(Database &database) : m_database(database)
{
    m_database.exec(m_database.dialect().beginWrite);
}

Database::Transaction::~Transaction()
{
    if (!m_open)
        return;
    QSqlQuery query(QSqlDatabase::database(m_database.m_name, false));
    query.exec(QStringLiteral("ROLLBACK")); // a connection that is broken has rolled back already
}

void Database::Transaction::commit()
{
    m_database.exec(QStringLiteral("COMMIT"));
    m_open = false;
}

} // namespace drover::history
