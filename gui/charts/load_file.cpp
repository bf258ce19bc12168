#include "gui/charts/load_file.h"

#include "gui/charts/load_thinning.h"
#include "gui/text/private_file.h"

#include <QUuid>

namespace drover::gui {

namespace {

constexpr int Schema = 1;

} // namespace

QString LoadFile::usualPath()
{
    return stateFile(QStringLiteral("charts.sqlite"));
}

LoadFileError::LoadFileError(const QString &what, const QSqlError &error) : std::runtime_error(what.toStdString())
{
    constexpr int Primary = 0xff; // the other bits say more of the same
    constexpr int Busy = 5; // SQLITE_BUSY
    m_isBusy = (error.nativeErrorCode().toInt() & Primary) == Busy;
}

LoadFile::LoadFile(const QString &path, std::chrono::milliseconds patience)
    : m_connection(QUuid::createUuid().toString())
{
    if (const QString why = makePrivate(path); !why.isEmpty())
        throw LoadFileError(why);
    try {
        open(path, patience);
    } catch (...) {
        close();
        throw;
    }
}

void LoadFile::open(const QString &path, std::chrono::milliseconds patience)
{
    m_database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_connection);
    m_database.setDatabaseName(path);
    m_database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=%1").arg(patience.count()));
    if (!m_database.open())
        throw LoadFileError(QStringLiteral("%1: %2").arg(path, m_database.lastError().databaseText()),
                            m_database.lastError());
    exec(QStringLiteral("PRAGMA journal_mode = WAL"));
    exec(QStringLiteral("PRAGMA synchronous = NORMAL"));
    makeTables(path);
}

LoadFile::~LoadFile()
{
    close();
}

void LoadFile::setPatience(std::chrono::milliseconds patience)
{
    exec(QStringLiteral("PRAGMA busy_timeout = %1").arg(patience.count()));
}

void LoadFile::close()
{
    m_database = {};
    QSqlDatabase::removeDatabase(m_connection);
}

void LoadFile::makeTables(const QString &path)
{
    atOnce([&] {
        QSqlQuery version = exec(QStringLiteral("PRAGMA user_version"));
        const int found = version.next() ? version.value(0).toInt() : 0;
        version.finish();
        if (found > Schema)
            throw LoadFileError(QStringLiteral("%1 was written by a newer Drover").arg(path));
        if (found == Schema)
            return;
        exec(QStringLiteral("CREATE TABLE sample (cluster TEXT NOT NULL, at_ms BIGINT NOT NULL, width_ms BIGINT NOT "
                            "NULL, ready BIGINT NOT NULL, running BIGINT NOT NULL, submitted BIGINT NOT NULL, ended "
                            "BIGINT NOT NULL, PRIMARY KEY (cluster, at_ms)) WITHOUT ROWID"));
        exec(QStringLiteral("PRAGMA user_version = %1").arg(Schema));
    });
}

QSqlQuery LoadFile::exec(const QString &sql, const QVariantList &values)
{
    QSqlQuery query(m_database);
    query.setForwardOnly(true);
    bool done = query.prepare(sql);
    for (const QVariant &value : values)
        query.addBindValue(value);
    done = done && query.exec();
    if (!done)
        throw LoadFileError(QStringLiteral("%1: %2").arg(m_database.databaseName(), query.lastError().databaseText()),
                            query.lastError());
    return query;
}

template <typename Write>
void LoadFile::atOnce(const Write &write)
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

void LoadFile::insert(const QString &cluster, const std::vector<LoadSample> &samples)
{
    for (const LoadSample &sample : samples)
        exec(QStringLiteral("INSERT OR IGNORE INTO sample VALUES (?, ?, ?, ?, ?, ?, ?)"),
             {cluster, sample.at, sample.width, sample.ready, sample.running, sample.submitted, sample.ended});
}

void LoadFile::add(const QString &cluster, const std::vector<LoadSample> &samples)
{
    atOnce([&] { insert(cluster, samples); });
}

std::vector<LoadSample> LoadFile::samples(const QString &cluster)
{
    QSqlQuery rows = exec(QStringLiteral("SELECT at_ms, width_ms, ready, running, submitted, ended FROM sample WHERE "
                                         "cluster = ? ORDER BY at_ms"),
                          {cluster});
    std::vector<LoadSample> samples;
    while (rows.next()) {
        const auto number = [&rows](int column) { return rows.value(column).toLongLong(); };
        samples.push_back({number(0), number(1), number(2), number(3), number(4), number(5)});
    }
    return samples;
}

void LoadFile::thin(qint64 now)
{
    QStringList clusters;
    for (QSqlQuery rows = exec(QStringLiteral("SELECT DISTINCT cluster FROM sample")); rows.next();)
        clusters << rows.value(0).toString();
    for (const QString &cluster : clusters)
        thin(cluster, now);
}

// In one transaction, so that no other process sees the cluster without its samples.
void LoadFile::thin(const QString &cluster, qint64 now)
{
    atOnce([&] {
        const std::vector<LoadSample> before = samples(cluster);
        const std::vector<LoadSample> kept = keptAt(now, before);
        if (kept.size() == before.size())
            return;
        exec(QStringLiteral("DELETE FROM sample WHERE cluster = ?"), {cluster});
        insert(cluster, kept);
    });
}

} // namespace drover::gui
