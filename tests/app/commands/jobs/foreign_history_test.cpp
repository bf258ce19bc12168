#include "app/support/drover_on_server.h"
#include "jobs/cluster/cluster_config.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

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

    // Runs `drover history` while this thread serves the connections.
    Finished readHistory() const
    {
        const std::unique_ptr<QProcess> process = m_cluster.drover.start({QStringLiteral("history")});
        [&process] { QTRY_COMPARE_WITH_TIMEOUT(process->state(), QProcess::NotRunning, 30'000); }();
        return {process->exitCode(), process->readAllStandardOutput(), process->readAllStandardError()};
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

    void noPasswordGoesThere_data()
    {
        QTest::addColumn<bool>("variable");
        QTest::newRow("of the environment") << true;
        QTest::newRow("of the password file") << false;
    }
    void noPasswordGoesThere()
    {
        QFETCH(bool, variable);
        m_cluster.drover.setVariable("PGPASSWORD", variable ? QString::fromLatin1(Password) : QString());
        const PasswordTaker taker;
        nameInCluster(taker.place());
        const Finished finished = readHistory();
        QVERIFY(taker.connections > 0);
        QVERIFY2(!taker.received.contains(Password), taker.received.toPercentEncoding());
        QVERIFY2(finished.exitCode != 0 && finished.complainsOnce(), finished.err);
        QVERIFY2(finished.err.contains("history_allow = \"" + taker.place().toLatin1() + '"'), finished.err);
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

    void aPlaceThatThisMachineNamesGetsIt()
    {
        m_cluster.drover.setVariable("PGPASSWORD", QString::fromLatin1(Password));
        const PasswordTaker taker;
        nameInCluster(taker.place());
        configure("history_allow = \"postgresql://other/db " + taker.place().toLatin1() + "\"\n");
        const Finished finished = readHistory();
        QVERIFY2(taker.received.contains(Password), finished.err);
    }
};

QTEST_GUILESS_MAIN(ForeignHistoryTest)
#include "foreign_history_test.moc"
