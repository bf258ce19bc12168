#include "history/dialect.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace drover::history {

namespace {

// %1 is the type of a number that the engine gives out itself. `record` stands last: it is the long one, and what only
// counts or sorts need not read past it.
QString jobTable(const char *identity)
{
    return QStringLiteral(R"(
CREATE TABLE job (
    seq %1,
    cluster TEXT NOT NULL,
    made_ms BIGINT NOT NULL,
    queue TEXT NOT NULL,
    number BIGINT NOT NULL,
    task BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    outcome TEXT NOT NULL,
    submitter TEXT NOT NULL,
    worker TEXT NOT NULL,
    ended_ms BIGINT NOT NULL,
    wall_ms BIGINT NOT NULL,
    cpu_ms BIGINT NOT NULL,
    peak_bytes BIGINT NOT NULL,
    words TEXT NOT NULL,
    record TEXT NOT NULL,
    UNIQUE (queue, number, task, cluster, made_ms, attempt)
))")
        .arg(QLatin1String(identity));
}

const QString MachineTable = QStringLiteral(R"(
CREATE TABLE machine (
    cluster TEXT NOT NULL,
    host TEXT NOT NULL,
    since_ms BIGINT NOT NULL,
    until_ms BIGINT NOT NULL,
    PRIMARY KEY (cluster, host)
))");

// The election of the master that has archived last, of each making of a cluster: an earlier one is refused.
const QString MasterTable = QStringLiteral(R"(
CREATE TABLE master (
    cluster TEXT NOT NULL,
    made_ms BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    PRIMARY KEY (cluster, made_ms)
))");

// No index begins with the cluster: there are few of them, and SQLite, which assumes that any first column leaves ten
// rows, would look through a whole cluster for one job.
const QString EndedIndex = QStringLiteral("CREATE INDEX job_ended ON job (ended_ms, seq)");
const QString NameIndex = QStringLiteral("CREATE INDEX job_name ON job (name, ended_ms)");

// The number of rows of each cluster. Counting would take minutes for many millions of rows. Triggers maintain the
// number, so it is right even after rows were deleted by hand.
const QString TallyTable = QStringLiteral("CREATE TABLE tally (cluster TEXT PRIMARY KEY, jobs BIGINT NOT NULL)");
const QString CountOnce = QStringLiteral("INSERT INTO tally SELECT cluster, COUNT(*) FROM job GROUP BY cluster");

// What was archived last stands at the end of its worker's part, so an insert writes a page that is in memory.
std::pair<QString, QString> workerIndex(const Dialect &dialect)
{
    return {QStringLiteral("job_worker"),
            QStringLiteral("CREATE INDEX IF NOT EXISTS job_worker ON job (%1, ended_ms)")
                .arg(dialect.textKey.arg(QStringLiteral("worker")))};
}

Dialect sqlite()
{
    Dialect dialect;
    dialect.engine = Location::Engine::Sqlite;
    dialect.driver = "QSQLITE";
    dialect.package = "libqt6sql6-sqlite";
    dialect.options = QStringLiteral("QSQLITE_BUSY_TIMEOUT=10000");
    dialect.onConnect = {
        // Readers and the one writer do not wait for each other.
        QStringLiteral("PRAGMA journal_mode = WAL"),
        // A commit is on the disk when it returns: what is archived is then deleted from ZooKeeper.
        QStringLiteral("PRAGMA synchronous = FULL"),
        QStringLiteral("PRAGMA case_sensitive_like = ON"), // as in PostgreSQL
    };
    // At once, where a deferred one could find itself unable to become a writer.
    dialect.beginWrite = QStringLiteral("BEGIN IMMEDIATE");
    dialect.textMatches = QStringLiteral("seq IN (SELECT rowid FROM job_words WHERE job_words MATCH ?)");
    dialect.newestMatches =
        QStringLiteral("seq IN (SELECT rowid FROM job_words WHERE job_words MATCH ? ORDER BY rowid DESC LIMIT ?)");
    dialect.hasTag = QStringLiteral("CASE WHEN json_valid(record) THEN "
                                    "EXISTS (SELECT 1 FROM json_each(record, '$.tags') WHERE value = ?) ELSE 0 END");
    dialect.recordNumber =
        QStringLiteral("COALESCE(CASE WHEN json_valid(record) THEN json_extract(record, '$.%1') END, 0)");
    dialect.migrations = {{
        jobTable("INTEGER PRIMARY KEY AUTOINCREMENT"),
        EndedIndex,
        NameIndex,
        MachineTable,
        QStringLiteral("CREATE VIRTUAL TABLE job_words USING fts5 "
                       "(words, content = 'job', content_rowid = 'seq', tokenize = 'ascii')"),
        QStringLiteral("CREATE TRIGGER job_added AFTER INSERT ON job BEGIN "
                       "INSERT INTO job_words (rowid, words) VALUES (new.seq, new.words); END"),
        QStringLiteral("CREATE TRIGGER job_removed AFTER DELETE ON job BEGIN "
                       "INSERT INTO job_words (job_words, rowid, words) VALUES ('delete', old.seq, old.words); END"),
    }};
    dialect.nameEquals = QStringLiteral("name = ?");
    dialect.textKey = QStringLiteral("%1");
    dialect.indexes = {workerIndex(dialect)};
    dialect.migrations.push_back({MasterTable});
    // No upsert: in a trigger SQLite goes by the conflict clause of the statement that fires it.
    dialect.migrations.push_back({
        TallyTable,
        CountOnce,
        QStringLiteral("CREATE TRIGGER job_counted AFTER INSERT ON job BEGIN "
                       "INSERT INTO tally SELECT new.cluster, 0 "
                       "WHERE NOT EXISTS (SELECT 1 FROM tally WHERE cluster = new.cluster); "
                       "UPDATE tally SET jobs = jobs + 1 WHERE cluster = new.cluster; END"),
        QStringLiteral("CREATE TRIGGER job_discounted AFTER DELETE ON job BEGIN "
                       "UPDATE tally SET jobs = jobs - 1 WHERE cluster = old.cluster; END"),
    });
    return dialect;
}

// The write-ahead log needs memory that all its users share; several machines have none. A rollback journal needs file
// locks alone.
Dialect sharedSqlite()
{
    Dialect dialect = sqlite();
    dialect.onConnect = {
        QStringLiteral("PRAGMA journal_mode = DELETE"),
        // The directory, too: a commit is the journal's removal.
        QStringLiteral("PRAGMA synchronous = EXTRA"),
        QStringLiteral("PRAGMA case_sensitive_like = ON"),
    };
    return dialect;
}

Dialect postgres()
{
    Dialect dialect;
    dialect.engine = Location::Engine::Postgres;
    dialect.driver = "QPSQL";
    dialect.package = "libqt6sql6-psql";
    dialect.options = QStringLiteral("connect_timeout=5;tcp_user_timeout=15000;application_name=drover");
    dialect.onConnect = {
        QStringLiteral("SET synchronous_commit TO on"), // whatever the server's default: see above
        QStringLiteral("SET statement_timeout TO '60s'"),
        QStringLiteral("SET client_min_messages TO warning"),
    };
    dialect.beginWrite = QStringLiteral("BEGIN");
    dialect.lockSchema = QStringLiteral("SELECT pg_advisory_xact_lock(7236832)");
    // Made of words already: the parsers of the text search configurations would split a command in ways of their own.
    const QString vector = QStringLiteral("array_to_tsvector(string_to_array(words, ' '))");
    dialect.textMatches = vector + QStringLiteral(" @@ CAST(? AS tsquery)");
    dialect.newestMatches =
        QStringLiteral("seq IN (SELECT seq FROM job WHERE %1 ORDER BY seq DESC LIMIT ?)").arg(dialect.textMatches);
    dialect.hasTag = QStringLiteral("EXISTS (SELECT 1 FROM json_array_elements(CAST(record AS json) -> 'tags') "
                                    "AS tag (value) WHERE CAST(tag.value AS text) = ?)");
    dialect.recordNumber = QStringLiteral("COALESCE(CAST(CAST(record AS json) ->> '%1' AS BIGINT), 0)");
    dialect.migrations = {{
        jobTable("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
        EndedIndex,
        NameIndex,
        MachineTable,
        QStringLiteral("CREATE INDEX job_words ON job USING gin ((%1))").arg(vector),
    }};
    dialect.textKey = QStringLiteral("left(%1, 200)"); // see below: as the index of names
    dialect.indexes = {workerIndex(dialect)};
    dialect.nameEquals = QStringLiteral("left(name, 200) = left(?, 200) AND name = ?");
    dialect.migrations.push_back({MasterTable});
    // An entry of an index has 2,704 bytes at most, a name up to 4,096: longer entries would refuse the row.
    dialect.migrations.push_back({
        QStringLiteral("SET LOCAL statement_timeout TO 0"),
        QStringLiteral("DROP INDEX job_name"),
        QStringLiteral("CREATE INDEX job_name ON job (left(name, 200), ended_ms)"),
        TallyTable,
        CountOnce,
        QStringLiteral(R"(
CREATE FUNCTION drover_tally() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO tally SELECT cluster, COUNT(*) FROM changed GROUP BY cluster
            ON CONFLICT (cluster) DO UPDATE SET jobs = tally.jobs + excluded.jobs;
    ELSIF TG_OP = 'DELETE' THEN
        UPDATE tally SET jobs = tally.jobs - gone.jobs
            FROM (SELECT cluster, COUNT(*) AS jobs FROM changed GROUP BY cluster) AS gone
            WHERE tally.cluster = gone.cluster;
    ELSE
        DELETE FROM tally;
    END IF;
    RETURN NULL;
END $$)"),
        QStringLiteral("CREATE TRIGGER job_counted AFTER INSERT ON job REFERENCING NEW TABLE AS changed "
                       "FOR EACH STATEMENT EXECUTE FUNCTION drover_tally()"),
        QStringLiteral("CREATE TRIGGER job_discounted AFTER DELETE ON job REFERENCING OLD TABLE AS changed "
                       "FOR EACH STATEMENT EXECUTE FUNCTION drover_tally()"),
        QStringLiteral("CREATE TRIGGER job_emptied AFTER TRUNCATE ON job "
                       "FOR EACH STATEMENT EXECUTE FUNCTION drover_tally()"),
    });
    return dialect;
}

} // namespace

QString Dialect::textQuery(const QStringList &words) const
{
    // Words are letters and digits alone: nothing in them needs quoting, the quotes keep them from being operators.
    const bool isSqlite = engine == Location::Engine::Sqlite;
    const QString form = isSqlite ? QStringLiteral("\"%1\"*") : QStringLiteral("'%1':*");
    QStringList terms;
    for (const QString &word : words)
        terms.append(form.arg(word));
    return terms.join(isSqlite ? QStringLiteral(" AND ") : QStringLiteral(" & "));
}

// PostgreSQL compares the JSON of a tag as we have written it: its text type could not hold every character.
QString Dialect::tagValue(const QString &tag) const
{
    if (engine == Location::Engine::Sqlite)
        return tag;
    const QByteArray list = QJsonDocument(QJsonArray{tag}).toJson(QJsonDocument::Compact);
    return QString::fromUtf8(list.mid(1, list.size() - 2));
}

bool Dialect::isRefusal(const QString &errorCode) const
{
    if (engine == Location::Engine::Sqlite) { // https://sqlite.org/rescode.html: too big, constraint, mismatch
        const int primary = errorCode.toInt() & 0xff;
        return primary >= 18 && primary <= 20;
    }
    // Classes of SQLSTATE: cardinality, data, integrity, a view's check, a program's limit, raised by a trigger.
    static const QStringList classes{QStringLiteral("21"), QStringLiteral("22"), QStringLiteral("23"),
                                     QStringLiteral("44"), QStringLiteral("54"), QStringLiteral("P0")};
    return classes.contains(errorCode.left(2));
}

const Dialect &Dialect::of(const Location &location)
{
    static const Dialect ofSqlite = sqlite();
    static const Dialect ofSharedSqlite = sharedSqlite();
    static const Dialect ofPostgres = postgres();
    if (location.engine == Location::Engine::Postgres)
        return ofPostgres;
    return location.shared ? ofSharedSqlite : ofSqlite;
}

} // namespace drover::history
