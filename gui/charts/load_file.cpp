#include "gui/charts/load_file.h"

#include "gui/charts/load_thinning.h"
#include "gui/text/private_file.h"

namespace drover::gui {

namespace {

constexpr int Schema = 1;

} // namespace

QString LoadFile::usualPath()
{
    return stateFile(QStringLiteral("charts.sqlite"));
}

LoadFile::LoadFile(const QString &path, std::chrono::milliseconds patience) : m_file(path, patience)
{
    m_file.atOnce([&] {
        const qint64 found = m_file.number(QStringLiteral("PRAGMA user_version"));
        if (found > Schema)
            throw SqliteError(QStringLiteral("%1 was written by a newer Drover").arg(path));
        if (found == Schema)
            return;
        m_file.exec(
            QStringLiteral("CREATE TABLE sample (cluster TEXT NOT NULL, at_ms BIGINT NOT NULL, width_ms BIGINT NOT "
                           "NULL, ready BIGINT NOT NULL, running BIGINT NOT NULL, submitted BIGINT NOT NULL, ended "
                           "BIGINT NOT NULL, PRIMARY KEY (cluster, at_ms)) WITHOUT ROWID"));
        m_file.exec(QStringLiteral("PRAGMA user_version = %1").arg(Schema));
    });
}

void LoadFile::setPatience(std::chrono::milliseconds patience)
{
    m_file.exec(QStringLiteral("PRAGMA busy_timeout = %1").arg(patience.count()));
}

void LoadFile::insert(const QString &cluster, const std::vector<LoadSample> &samples)
{
    for (const LoadSample &sample : samples)
        m_file.exec(QStringLiteral("INSERT OR IGNORE INTO sample VALUES (?, ?, ?, ?, ?, ?, ?)"),
                    {cluster, sample.at, sample.width, sample.ready, sample.running, sample.submitted, sample.ended});
}

void LoadFile::add(const QString &cluster, const std::vector<LoadSample> &samples)
{
    m_file.atOnce([&] { insert(cluster, samples); });
}

std::vector<LoadSample> LoadFile::samples(const QString &cluster)
{
    QSqlQuery rows =
        m_file.exec(QStringLiteral("SELECT at_ms, width_ms, ready, running, submitted, ended FROM sample WHERE "
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
    for (QSqlQuery rows = m_file.exec(QStringLiteral("SELECT DISTINCT cluster FROM sample")); rows.next();)
        clusters << rows.value(0).toString();
    for (const QString &cluster : clusters)
        thin(cluster, now);
}

// In one transaction, so that no other process sees the cluster without its samples.
void LoadFile::thin(const QString &cluster, qint64 now)
{
    m_file.atOnce([&] {
        const std::vector<LoadSample> before = samples(cluster);
        const std::vector<LoadSample> kept = keptAt(now, before);
        if (kept.size() == before.size())
            return;
        m_file.exec(QStringLiteral("DELETE FROM sample WHERE cluster = ?"), {cluster});
        insert(cluster, kept);
    });
}

} // namespace drover::gui
