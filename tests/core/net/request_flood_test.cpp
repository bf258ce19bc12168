#include "async/qt_loop.h"
#include "net/request_client.h"
#include "net/request_server.h"
#include "support/await.h"
#include "support/sanitized.h"
#include "support/thread_count.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTest>

#include <atomic>

using namespace drover;
using namespace drover::net;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

const SharedKey OurKey{"w1", QByteArray(32, 'k')};

// A process of tests/hostile/output_port.py.
class Attack
{
public:
    Attack(const RequestServer &server, const QString &what)
    {
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        const QStringList place{QStringLiteral("-Wignore"), QStringLiteral(DROVER_HOSTILE_CLIENT),
                                QString::number(server.port())};
        m_process.start(QStringLiteral(DROVER_PYTHON), place + what.split(u' '));
    }
    Attack(const Attack &) = delete;
    Attack &operator=(const Attack &) = delete;
    ~Attack() { end(); }

    // One line that it prints; empty if none comes.
    QByteArray says()
    {
        return QTest::qWaitFor([this] { return m_process.canReadLine(); }, 60'000) ? m_process.readLine().trimmed()
                                                                                   : QByteArray();
    }
    void end()
    {
        m_process.closeWriteChannel();
        if (!m_process.waitForFinished(30'000)) {
            m_process.kill();
            m_process.waitForFinished();
        }
    }

private:
    QProcess m_process;
};

QString withKey(const char *attack)
{
    return QStringLiteral("%1 %2 %3")
        .arg(QLatin1StringView(attack), QString::fromUtf8(OurKey.name), QString::fromLatin1(OurKey.secret.toHex()));
}

} // namespace

// Clients that want to keep others from a worker's output (tests/hostile/README.md).
class RequestFloodTest : public QObject
{
    Q_OBJECT

    async::QtLoop m_loop;
    std::unique_ptr<RequestServer> m_server;
    std::atomic<int> m_calls = 0;
    qsizetype m_threads = 0; // before the first server
    int m_refused = 0; // of ours

    std::unique_ptr<RequestClient> client()
    {
        return std::make_unique<RequestClient>(m_loop, Endpoint{QStringLiteral("127.0.0.1"), m_server->port()}, OurKey,
                                               1024);
    }

    // One new client after the other for a while, each a request, and no more than 50 a second: how many are served.
    int served()
    {
        constexpr int Pause = 20; // ms
        QElapsedTimer time;
        time.start();
        int count = 0;
        for (qint64 next = 0; time.elapsed() < 3'000; next = std::max(next + Pause, time.elapsed())) {
            QTest::qWait(static_cast<int>(std::max(qint64(0), next - time.elapsed()))); // until it is its turn
            const auto one = client();
            try {
                count += await(one->request("x", 10s)) == "echo x" ? 1 : 0;
            } catch (const Unreachable &) {
                ++m_refused;
            }
        }
        return count;
    }

    bool slows(const QString &attack)
    {
        int before = 0, during = 0, after = 0;
        measure(attack, before, during, after);
        qInfo("%d, %d, %d clients served before, during and after; %d refused", before, during, after, m_refused);
        return 2 * during <= std::min(before, after);
    }

    void measure(const QString &attack, int &before, int &during, int &after)
    {
        const auto early = client();
        QCOMPARE(await(early->request("1", 10s)), QByteArray("echo 1"));
        before = served();
        {
            Attack flood(*m_server, attack);
            QVERIFY(flood.says().startsWith("opened "));
            during = served();
            QVERIFY(m_server->connections() <= RequestServer::Limits{}.connections);
            QCOMPARE(await(early->request("2", 10s)), QByteArray("echo 2"));
        }
        after = served();
    }

private Q_SLOTS:
    void initTestCase() { m_threads = threadCount(); }
    void cleanupTestCase() { QTRY_COMPARE_WITH_TIMEOUT(threadCount(), m_threads, 30'000); }
    void init()
    {
        m_refused = 0;
        m_calls = 0;
        m_server = std::make_unique<RequestServer>(QHostAddress(QHostAddress::LocalHost), 0,
                                                   [this](const QByteArray &request, auto) {
                                                       ++m_calls;
                                                       return std::optional<QByteArray>("echo " + request);
                                                   });
        m_server->setKey(OurKey);
    }
    void cleanup() { m_server.reset(); }

    void noFloodSlowsOtherClientsByHalf_data()
    {
        QTest::addColumn<QString>("attack");
        const QString rate = QString::number(Sanitized ? 200 : 2000); // the server is slower under the sanitizers
        QTest::newRow("5,000 silent connections") << QStringLiteral("silent 5000 ") + rate;
        QTest::newRow("5,000 halves of a greeting") << QStringLiteral("hello 5000 ") + rate;
        QTest::newRow("200 halves of a request") << withKey("half") + QStringLiteral(" 200");
    }
    void noFloodSlowsOtherClientsByHalf()
    {
        QFETCH(QString, attack);
        // Other programs of the machine may slow one of the three measurements. A flood that slows others does so each
        // time.
        bool isSlowed = true;
        for (int tries = 0; tries < 4 && isSlowed; ++tries) {
            isSlowed = slows(attack);
            if (QTest::currentTestFailed())
                return;
        }
        QVERIFY(!isSlowed);
    }

    void onlyOneVersionIsSpoken_data()
    {
        QTest::addColumn<QString>("version");
        for (const char *const version : {"TLSv1", "TLSv1_1", "TLSv1_2", "TLSv1_3"})
            QTest::newRow(version) << QString::fromLatin1(version);
    }
    void onlyOneVersionIsSpoken() // and that one with the key alone
    {
        QFETCH(QString, version);
        QVERIFY(Attack(*m_server, QStringLiteral("version ") + version).says().startsWith("refused "));
        QCOMPARE(m_calls.load(), 0);
        QCOMPARE(await(client()->request("1", 10s)), QByteArray("echo 1"));
    }

    void aRequestOfFourGigabytesIsRefused()
    {
        const QByteArray answer = Attack(*m_server, withKey("frame")).says();
        QVERIFY2(answer.contains("a message of 4294967295 bytes, where 1024 are the most"), answer);
        QCOMPARE(m_calls.load(), 0);
    }

    void nobodyRenegotiates()
    {
        QCOMPARE(Attack(*m_server, withKey("renegotiate")).says(), QByteArray("refused"));
        QCOMPARE(await(client()->request("1", 10s)), QByteArray("echo 1"));
    }
};

QTEST_GUILESS_MAIN(RequestFloodTest)
#include "request_flood_test.moc"
