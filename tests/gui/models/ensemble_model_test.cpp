#include "gui/models/ensemble_history.h"
#include "gui/models/ensemble_model.h"
#include "gui/servers.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace drover::test;
using Role = zk::ServerReport::Role;

namespace {

EnsembleSnapshot snapshotOf(const std::vector<zk::ServerReport> &servers)
{
    return {servers, zk::majorityOf(servers, zk::Membership::in(ThreeVoters))};
}

QString cell(const EnsembleModel &model, int row, EnsembleModel::Column column)
{
    return model.index(row, column).data().toString();
}

} // namespace

// What the console says of the servers of an ensemble.
class EnsembleModelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void showsWhatEachServerSays()
    {
        EnsembleModel model;
        const QAbstractItemModelTester tester(&model);
        std::vector<zk::ServerReport> servers = threeServers();
        servers[2] = serverThatSays(u"zk3"_qs, Role::Follower, 0x100000002);
        model.show(snapshotOf(servers));
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(cell(model, 0, EnsembleModel::Role), u"Follower"_qs);
        QCOMPARE(cell(model, 1, EnsembleModel::Role), u"Leader"_qs);
        QCOMPARE(cell(model, 1, EnsembleModel::Version), u"3.8.0"_qs);
        QCOMPARE(cell(model, 1, EnsembleModel::Latency), u"1.5 ms"_qs);
        QCOMPARE(cell(model, 1, EnsembleModel::Connections), u"12"_qs);
        QCOMPARE(cell(model, 1, EnsembleModel::Watches), u"40"_qs);
        QCOMPARE(cell(model, 1, EnsembleModel::Znodes), u"1,234"_qs);
        QCOMPARE(cell(model, 1, EnsembleModel::Outstanding), u"3"_qs);
        QCOMPARE(cell(model, 1, EnsembleModel::Lag), u"0"_qs);
        QCOMPARE(cell(model, 2, EnsembleModel::Lag), u"7"_qs);
        QCOMPARE(cell(model, 2, EnsembleModel::Zxid), u"0x100000002"_qs);
        servers[1] = serverThatSays(u"zk2"_qs, Role::Leader, 0x100000019);
        model.show(snapshotOf(servers)); // the others' rows have not changed
        QCOMPARE(cell(model, 0, EnsembleModel::Lag), u"16"_qs);
    }

    void namesObserversAndForbiddenWords()
    {
        EnsembleModel model;
        const QAbstractItemModelTester tester(&model);
        std::vector<zk::ServerReport> servers = threeServers();
        servers.push_back(serverThatSays(u"far"_qs, Role::Observer));
        servers[0].answers.erase("mntr");
        servers[0].forbidden = {"mntr"};
        servers[2] = serverThatSays(u"zk3"_qs, Role::Unknown);
        servers[2].trouble = u"answers, but its whitelist forbids to ask how it is"_qs;
        model.show(snapshotOf(servers));
        QCOMPARE(cell(model, 3, EnsembleModel::Role), u"Observer, no vote"_qs);
        QCOMPARE(cell(model, 0, EnsembleModel::Watches), QString());
        QCOMPARE(cell(model, 0, EnsembleModel::Trouble), u"its whitelist forbids mntr"_qs);
        QCOMPARE(cell(model, 2, EnsembleModel::Role), u"May not be asked"_qs);
        QVERIFY(cell(model, 2, EnsembleModel::Trouble).contains(u"whitelist"_qs));
    }

    void warnsBeforeTheQuorumIsLost_data()
    {
        QTest::addColumn<int>("silent");
        QTest::addColumn<QString>("begin");
        QTest::addColumn<int>("health");
        QTest::newRow("all serve") << 0 << QString() << int(Tone::Good);
        QTest::newRow("one is away") << 1 << u"One more loss ends the quorum: 2 of 3 voting servers are up"_qs
                                     << int(Tone::Waiting);
        QTest::newRow("two are away") << 2 << u"The quorum is lost: "_qs << int(Tone::Bad);
    }
    void warnsBeforeTheQuorumIsLost()
    {
        QFETCH(int, silent);
        QFETCH(QString, begin);
        QFETCH(int, health);
        EnsembleModel model;
        std::vector<zk::ServerReport> servers = threeServers();
        if (silent > 0)
            servers[0] = serverThatSays(u"zk1"_qs, Role::Silent);
        if (silent > 1) {
            servers[1] = serverThatSays(u"zk2"_qs, Role::Silent);
            servers[2] = serverThatSays(u"zk3"_qs, Role::NotServing);
        }
        model.show(snapshotOf(servers));
        QCOMPARE(model.warning().isEmpty(), begin.isEmpty());
        QVERIFY2(model.warning().startsWith(begin), qPrintable(model.warning()));
        QCOMPARE(int(model.health()), health);
        QCOMPARE(model.warning().contains(u"Away: zk1:2181"_qs), silent > 0);
    }

    void theOnlyServerIsStarted()
    {
        EnsembleModel model;
        const std::vector<zk::ServerReport> servers{serverThatSays(u"zk1"_qs, Role::Silent)};
        model.show({servers, zk::majorityOf(servers, zk::Membership::in("server.1=zk1:1:2:participant"))});
        QCOMPARE(model.summary(), u"The only voting server is down."_qs);
        QCOMPARE(model.warning(), u"The only voting server is down. Start it. Away: zk1:2181."_qs);
        QCOMPARE(model.health(), Tone::Bad);
    }

    // Of five servers two may fail.
    void saysHowManyMoreMayFail()
    {
        EnsembleModel model;
        std::vector<zk::ServerReport> servers = threeServers();
        servers.push_back(serverThatSays(u"zk4"_qs, Role::Follower));
        servers.push_back(serverThatSays(u"zk5"_qs, Role::Silent));
        const std::optional<zk::Membership> five =
            zk::Membership::in(QByteArray(ThreeVoters) + "server.4=zk4:1:2:participant\nserver.5=zk5:1:2:participant");
        model.show({servers, zk::majorityOf(servers, five)});
        QVERIFY2(model.warning().contains(u"1 more may fail."_qs), qPrintable(model.warning()));
        QCOMPARE(model.health(), Tone::Waiting);
    }

    // Nothing is lost because nothing may be asked.
    void aWhitelistIsNoLostQuorum()
    {
        EnsembleModel model;
        std::vector<zk::ServerReport> servers;
        for (const char *const name : {"zk1", "zk2", "zk3"})
            servers.push_back(serverThatSays(QLatin1String(name), Role::Unknown));
        model.show(snapshotOf(servers));
        QVERIFY2(model.warning().contains(u"4lw.commands.whitelist"_qs), qPrintable(model.warning()));
        QCOMPARE(model.health(), Tone::Waiting);
    }

    void remembersHowTheServersAnswered()
    {
        EnsembleHistory history;
        std::vector<zk::ServerReport> servers = threeServers();
        history.show(snapshotOf(servers));
        servers[1] = serverThatSays(u"zk2"_qs, Role::Silent);
        history.show(snapshotOf(servers));
        QCOMPARE(history.names(), (QStringList{u"zk1"_qs, u"zk2"_qs, u"zk3"_qs}));
        QCOMPARE(history.of(0, EnsembleHistory::AnswerTime).latest(), 1800);
        QCOMPARE(history.of(1, EnsembleHistory::Connections).latest(), -1);
        QCOMPARE(history.of(1, EnsembleHistory::Connections).at(1), 12);
        for (zk::ServerReport &server : servers)
            server.address.host = u"127.0.0.1"_qs;
        for (std::size_t i = 0; i < servers.size(); ++i)
            servers[i].address.port = quint16(2181 + i);
        history.show(snapshotOf(servers));
        QCOMPARE(history.names(), (QStringList{u":2181"_qs, u":2182"_qs, u":2183"_qs}));
        QCOMPARE(history.of(0, EnsembleHistory::Outstanding).size(), std::size_t(1)); // of other servers
    }
};

QTEST_GUILESS_MAIN(EnsembleModelTest)
#include "ensemble_model_test.moc"
