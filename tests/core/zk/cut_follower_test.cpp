#include "async/or_timeout.h"
#include "support/cut_ensemble.h"
#include "support/session_fixture.h"

#include <QTest>

using namespace drover;
using namespace drover::zk;
using namespace std::chrono_literals;
using async::Task;
using test::CutEnsemble;
using Way = CutEnsemble::Way;

namespace {

template <typename T>
Task<bool> isAnswered(Session &session, Reply<T> reply, async::Duration limit)
{
    try {
        const Code code = co_await async::orTimeout(session.loop(), test::outcome(std::move(reply)), limit);
        co_return code == Code::Ok;
    } catch (const async::Timeout &) {
        co_return false;
    }
}

bool answersReads(Session &session)
{
    return test::await(isAnswered(session, session.exists(Path()), 10s));
}

bool answersSyncs(Session &session, async::Duration limit = 10s)
{
    return test::await(isAnswered(session, session.sync(Path()), limit));
}

} // namespace

// What a session may take for certain while its server is cut from the leader, which alone decides when it expires.
class CutFollowerTest : public QObject
{
    Q_OBJECT

    async::QtLoop m_loop;
    CutEnsemble m_servers;

    std::unique_ptr<Session> connected(const QString &servers, std::chrono::milliseconds timeout)
    {
        SessionOptions options;
        options.servers = servers;
        options.timeout = timeout;
        auto session = std::make_unique<Session>(m_loop, options);
        session->open();
        test::await(session->connected());
        return session;
    }

private Q_SLOTS:
    void initTestCase() { m_servers.start(); }
    void cleanup() { m_servers.heal(); }
    void cleanupTestCase() { m_servers.stop(); }

    void aFollowerThatIsCutFromItsLeaderAnswersReadsOnly_data()
    {
        QTest::addColumn<int>("way");
        QTest::newRow("both ways") << static_cast<int>(Way::Both);
        QTest::newRow("to the leader") << static_cast<int>(Way::Out);
        QTest::newRow("from the leader") << static_cast<int>(Way::In);
    }
    void aFollowerThatIsCutFromItsLeaderAnswersReadsOnly()
    {
        QFETCH(int, way);
        const int follower = m_servers.follower();
        const auto reader = connected(m_servers.connectString(follower), 20s);
        const auto other = connected(m_servers.connectString(follower), 20s); // its reads wait behind its syncs
        QVERIFY(answersSyncs(*other));
        m_servers.cut(follower, static_cast<Way>(way));
        QVERIFY(!answersSyncs(*other, 500ms));
        QVERIFY(answersReads(*reader));
        m_servers.heal();
        QVERIFY(answersSyncs(*other));
    }
};

QTEST_GUILESS_MAIN(CutFollowerTest)
#include "cut_follower_test.moc"
