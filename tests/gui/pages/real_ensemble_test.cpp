#include "app/support/drover_program.h"
#include "gui/feeds/feed_thread.h"
#include "gui/workspace/console_models.h"
#include "support/zk_server.h"
#include "zk/client/session.h"

#include <QJsonArray>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace drover::test;

// What the console says of three real servers, beside drover cluster status.
class RealEnsembleTest : public QObject
{
    Q_OBJECT

    static constexpr int Limit = 60'000; // ms

    const DroverProgram m_drover;
    TestEnsemble m_servers;
    ConsoleModels m_models;
    std::unique_ptr<FeedThread> m_feeds;

    // "127.0.0.1:2181 leader 3.8.0 0 ", as the command line lists it and as the console has it.
    QStringList listed() const
    {
        QStringList lines;
        const QStringList command{words("cluster status -o json --connect") << m_servers.connectString()};
        const QJsonArray servers = json(m_drover.run(command))[u"servers"].toArray();
        for (const QJsonValue &server : servers)
            lines << QStringList{server[u"server"].toString(), server[u"role"].toString(),
                                 server[u"zookeeper_version"].toString(), server[u"zxid"].toString(),
                                 server[u"trouble"].toString()}
                         .join(u' ');
        return lines;
    }
    QStringList shown() const
    {
        QStringList lines;
        for (int row = 0; row < m_models.ensemble.rowCount(); ++row) {
            const auto cell = [&](EnsembleModel::Column column) {
                return m_models.ensemble.index(row, column).data().toString();
            };
            lines << QStringList{cell(EnsembleModel::Server), zk::roleName(m_models.ensemble.row(row).role),
                                 cell(EnsembleModel::Version), cell(EnsembleModel::Zxid), cell(EnsembleModel::Trouble)}
                         .join(u' ');
        }
        return lines;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_servers.start();
        const auto connect = [](async::Loop &loop, const Target &target, const GivenCredentials &) {
            zk::SessionOptions options;
            options.servers = target.connect;
            auto session = std::make_unique<zk::Session>(loop, options);
            session->open();
            return OpenedSession{std::move(session)};
        };
        m_feeds = std::make_unique<FeedThread>(connect);
        connectModels(m_models, m_feeds->session());
        QMetaObject::invokeMethod(&m_feeds->session(), [this] {
            m_feeds->session().open({m_servers.connectString(), "default"});
        });
    }
    void cleanupTestCase() { m_feeds.reset(); }

    void consoleAndCommandAgreeAboutTheServers()
    {
        QTRY_COMPARE_WITH_TIMEOUT(m_models.ensemble.rowCount(), 3, Limit);
        QTRY_COMPARE_WITH_TIMEOUT(shown(), listed(), Limit);
        QCOMPARE(shown().filter(u" leader "_qs).size(), 1);
        QCOMPARE(m_models.ensemble.warning(), QString());
        for (int row = 0; row < 3; ++row) {
            QVERIFY(!m_models.ensemble.index(row, EnsembleModel::Watches).data().toString().isEmpty());
            QVERIFY(!m_models.ensemble.index(row, EnsembleModel::Znodes).data().toString().isEmpty());
        }
    }

    // A server that accepts connections and never answers; the others are shown as they are.
    void aHungServerDoesNotStopTheOthersFigures()
    {
        const int leader = m_servers.elected(3);
        const int hung = (leader + 1) % 3;
        m_servers.pause(hung);
        QTRY_VERIFY2_WITH_TIMEOUT(m_models.ensemble.warning().startsWith(u"One more loss ends the quorum"_qs),
                                  qPrintable(m_models.ensemble.warning()), Limit);
        QTRY_COMPARE_WITH_TIMEOUT(shown().filter(u"does not answer within 2 s"_qs).size(), 1, Limit);
        QTRY_COMPARE_WITH_TIMEOUT(shown().filter(u" leader "_qs).size(), 1, Limit);
        const std::size_t samples = m_models.ensembleHistory.of(leader, EnsembleHistory::AnswerTime).size();
        QTRY_VERIFY_WITH_TIMEOUT(m_models.ensembleHistory.of(leader, EnsembleHistory::AnswerTime).size() > samples,
                                 Limit);
        m_servers.resume(hung);
        QTRY_COMPARE_WITH_TIMEOUT(m_models.ensemble.warning(), QString(), Limit);
    }

    // The session is gone as well then.
    void aLostQuorumIsShown()
    {
        m_servers.elected(3);
        m_servers.kill9(0);
        m_servers.kill9(1);
        QTRY_VERIFY2_WITH_TIMEOUT(m_models.ensemble.warning().startsWith(u"The quorum is lost"_qs),
                                  qPrintable(m_models.ensemble.warning()), Limit);
        m_servers.start();
        QTRY_COMPARE_WITH_TIMEOUT(m_models.ensemble.warning(), QString(), Limit);
    }
};

QTEST_GUILESS_MAIN(RealEnsembleTest)
#include "real_ensemble_test.moc"
