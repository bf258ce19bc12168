#include "app/support/drover_on_server.h"
#include "support/send_signal.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;

namespace {

const QByteArray Password = "the-operators-own";

// Asks each client for its password, like a PostgreSQL server that wants it in clear text; remembers all bytes.
class PasswordTaker : public QTcpServer
{
public:
    PasswordTaker()
    {
        listen(QHostAddress::LocalHost);
        connect(this, &QTcpServer::newConnection, this, [this] {
            QTcpSocket *const client = nextPendingConnection();
            connect(client, &QTcpSocket::readyRead, this, [this, client] { answer(*client, client->readAll()); });
        });
    }

    QString place(const char *more = "") const
    {
        return QStringLiteral("postgresql://backup@127.0.0.1:%1/drover%2").arg(serverPort()).arg(QLatin1String(more));
    }

    int connections = 0;
    QByteArray received;

private:
    // https://www.postgresql.org/docs/current/protocol-message-formats.html
    void answer(QTcpSocket &client, const QByteArray &bytes)
    {
        static const QByteArray AskForClearText("R\0\0\0\x8\0\0\0\x3", 9);
        received += bytes;
        if (bytes.size() == 8) { // for encryption by TLS or GSSAPI
            client.write("N");
        } else if (bytes.startsWith('\0')) { // the start of the protocol
            ++connections;
            client.write(AskForClearText);
        } else {
            client.disconnectFromHost();
        }
    }
};

} // namespace

// A history that only the settings in ZooKeeper name, and a person with a password for databases.
class ForeignHistoryTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;

    void nameInCluster(const QString &place)
    {
        QJsonObject config = m_cluster.json(m_cluster.layout.config());
        config.insert(QStringLiteral("history"), place);
        m_cluster.write(m_cluster.layout.config(), QJsonDocument(config).toJson(QJsonDocument::Compact));
    }

    void configure(const QByteArray &toml) const
    {
        const QString directory =
            m_cluster.drover.environment().value(QStringLiteral("XDG_CONFIG_HOME")) + QStringLiteral("/drover");
        QVERIFY(QDir().mkpath(directory));
        QFile file(directory + QStringLiteral("/config.toml"));
        QVERIFY(file.open(QFile::WriteOnly | QFile::Truncate));
        file.write(toml);
    }

    // Run while this thread serves the connections.
    Finished drover(const QString &command) const
    {
        const std::unique_ptr<QProcess> process = m_cluster.drover.start(words(command));
        return DroverProgram::finish(*process);
    }
    Finished readHistory() const { return drover(QStringLiteral("history")); }

    // The commands that look for jobs that have ended; default-999 is in no cluster.
    static void everyReader()
    {
        QTest::addColumn<QString>("command");
        for (const char *const command :
             {"history", "history export", "ls --all", "show default-999", "wait default-999", "logs default-999",
              "resubmit default-999", "submit --after default-999 -- true", "wait --since 1h default-990..999"})
            QTest::newRow(command) << QString::fromLatin1(command);
    }

    // The files whose names begin like this one's.
    static QStringList beside(const QString &file)
    {
        const QFileInfo info(file);
        return info.dir().entryList({info.fileName() + u'*'}, QDir::Files);
    }

    // A worker that is the master and has a record to archive, until `isOver`.
    template <typename IsOver>
    QByteArray runWorker(const IsOver &isOver)
    {
        const std::unique_ptr<QProcess> worker = m_cluster.drover.start(words("worker --slots 1"));
        const Finished ran = drover(QStringLiteral("run -- true"));
        QByteArray said;
        const bool over = QTest::qWaitFor(
            [&] {
                said += worker->readAllStandardError();
                return isOver(said);
            },
            30'000);
        sendSignal(*worker, SIGTERM);
        said += DroverProgram::finish(*worker).err;
        return over && ran.exitCode == 0 ? said : "not in time: " + said;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({"default"});
        m_cluster.drover.setVariable("PGPASSWORD", QString::fromLatin1(Password));
        m_cluster.drover.setVariable("HOME", m_cluster.drover.directory());
        QFile passwords(m_cluster.drover.directory() + QStringLiteral("/.pgpass"));
        QVERIFY(passwords.open(QFile::WriteOnly));
        passwords.write("*:*:*:*:" + Password + '\n');
        passwords.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    }

    void init() { configure({}); }

    void noPasswordGoesThere_data() { everyReader(); }
    void noPasswordGoesThere()
    {
        QFETCH(QString, command);
        for (const bool variable : {true, false}) { // without it libpq looks into the password file
            m_cluster.drover.setVariable("PGPASSWORD", variable ? QString::fromLatin1(Password) : QString());
            const PasswordTaker taker;
            nameInCluster(taker.place());
            const Finished finished = drover(command);
            QVERIFY2(taker.connections > 0, finished.err);
            QVERIFY2(!taker.received.contains(Password), taker.received.toPercentEncoding());
            QVERIFY2(finished.err.contains("history_allow = [\"" + taker.place().toLatin1() + "\"]"), finished.err);
        }
    }

    void aWorkerSendsNoPasswordThere()
    {
        m_cluster.drover.setVariable("PGPASSWORD", QString::fromLatin1(Password));
        const PasswordTaker taker;
        nameInCluster(taker.place());
        const QByteArray said = runWorker([&taker](const QByteArray &) { return taker.connections > 1; });
        QVERIFY2(!said.startsWith("not in time"), said);
        QVERIFY2(!taker.received.contains(Password), taker.received.toPercentEncoding());
        QVERIFY2(said.contains("no password was sent"), said);
    }

    void noFileIsOpenedThatTheClusterNames_data() { everyReader(); }
    void noFileIsOpenedThatTheClusterNames()
    {
        QFETCH(QString, command);
        const QString file = m_cluster.drover.directory() + QStringLiteral("/another-programs.sqlite");
        QVERIFY(QFile(file).open(QFile::WriteOnly)); // empty: SQLite would take it for its own
        for (const QString &place : {file, QStringLiteral("shared:") + file}) {
            nameInCluster(place);
            const Finished finished = drover(command);
            QVERIFY2(finished.err.contains("history_allow = [\"" + place.toUtf8() + "\"]"), finished.err);
            QCOMPARE(QFileInfo(file).size(), 0);
            QCOMPARE(beside(file), QStringList(QFileInfo(file).fileName()));
        }
    }

    void aWorkerMakesNoFileThatTheClusterNames()
    {
        const QString file = m_cluster.drover.directory() + QStringLiteral("/planted.sqlite");
        nameInCluster(file);
        const QByteArray said = runWorker([](const QByteArray &text) { return text.contains("no history is kept"); });
        QVERIFY2(!said.startsWith("not in time") && said.contains("history_allow = [\""), said);
        QVERIFY(beside(file).isEmpty());
    }

    void nothingIsAskedWithAParameterThatMayHarm()
    {
        const PasswordTaker taker;
        nameInCluster(taker.place("?passfile=/etc/passwd"));
        const Finished finished = readHistory();
        QVERIFY2(finished.exitCode != 0 && finished.complainsOnce(), finished.err);
        QVERIFY2(finished.err.contains("\"passfile\""), finished.err);
        QCOMPARE(taker.connections, 0);
    }

    // Every user sees the words of a command, and only its own user the variables.
    void aPasswordOnACommandLineIsWarnedOf_data()
    {
        QTest::addColumn<QString>("place");
        QTest::newRow("before the host") << QStringLiteral("postgresql://me:secret@127.0.0.1:1/db");
        QTest::newRow("as a parameter") << QStringLiteral("postgresql://me@127.0.0.1:1/db?password=secret");
    }
    void aPasswordOnACommandLineIsWarnedOf()
    {
        QFETCH(QString, place);
        const QByteArray warning = "other users of this machine see the password in --history";
        const Finished typed = drover(QStringLiteral("history --history ") + place);
        QVERIFY2(typed.err.contains(warning) && !typed.err.contains("secret"), typed.err);
        m_cluster.drover.setVariable("DROVER_HISTORY", place);
        const Finished hidden = readHistory();
        m_cluster.drover.setVariable("DROVER_HISTORY", {});
        QVERIFY2(hidden.complainsOnce() && !hidden.err.contains(warning), hidden.err);
    }

    void aPlaceThatThisMachineNamesGetsIt()
    {
        m_cluster.drover.setVariable("PGPASSWORD", QString::fromLatin1(Password));
        const PasswordTaker taker;
        nameInCluster(taker.place());
        configure("history_allow = [\"postgresql://other/db\", \"" + taker.place().toLatin1() + "\"]\n");
        const Finished finished = readHistory();
        QVERIFY2(taker.received.contains(Password), finished.err);
    }
};

QTEST_GUILESS_MAIN(ForeignHistoryTest)
#include "foreign_history_test.moc"
