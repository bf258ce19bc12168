#include "app/doctor/ensemble_checks.h"
#include "app/doctor/server_checks.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover;
using namespace drover::app;
using namespace std::chrono_literals;
using Level = Finding::Level;
using Role = zk::ServerReport::Role;

namespace {

const QByteArray Three("membership: \nserver.1=a:1:2:participant\nserver.2=b:1:2:participant\n"
                       "server.3=c:1:2:participant\nversion=0\n");

zk::ServerReport server(Role role, const QByteArray &conf = Three)
{
    zk::ServerReport report{.address = {QStringLiteral("zk"), 2181}, .role = role};
    report.answers = {
        {"srvr", "Zookeeper version: 3.8.0-x\nLatency min/avg/max: 0/1.5/9\nZxid: 0x100000009\n"},
        {"mntr", "zk_synced_followers\t2\n"},
        {"conf", "tickTime=2000\nmaxClientCnxns=0\nminSessionTimeout=4000\nmaxSessionTimeout=40000\n" + conf}};
    return report;
}

std::vector<zk::ServerReport> three()
{
    return {server(Role::Leader), server(Role::Follower), server(Role::Follower)};
}

Finding about(const EnsembleView &view, const char *subject)
{
    for (const Finding &finding : checkEnsemble(view)) {
        if (finding.subject == QLatin1String(subject))
            return finding;
    }
    return {Level::Ok, QStringLiteral("(none)"), {}};
}

// Of three servers, after the change of one line of the conf of all.
Finding afterChange(const char *subject, const char *from, const char *to)
{
    EnsembleView view{three(), {}, 10s};
    for (zk::ServerReport &report : view.reports)
        report.answers["conf"].replace(from, to);
    return about(view, subject);
}

} // namespace

// How an ensemble is judged by what its servers say.
class EnsembleChecksTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aGoodEnsembleHasNoWarning()
    {
        int unknown = 0;
        for (const Finding &finding : checkEnsemble({three(), {}, 10s})) {
            QVERIFY2(finding.level == Level::Ok || finding.level == Level::Unknown, qPrintable(finding.what));
            unknown += finding.level == Level::Unknown ? 1 : 0;
            QCOMPARE(finding.level == Level::Unknown, !finding.advice.isEmpty());
        }
        QCOMPARE(unknown, 4); // autopurge, jute.maxbuffer, db.autocreate, forceSnapshotSync
    }

    void settings_data()
    {
        QTest::addColumn<QByteArray>("subject");
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<int>("level");
        const auto row = [](const char *subject, const char *from, const char *to, Level level) {
            QTest::newRow(to) << QByteArray(subject) << QByteArray(from) << QByteArray(to) << int(level);
        };
        row("maxClientCnxns", "Cnxns=0", "Cnxns=60", Level::Warning);
        row("maxClientCnxns", "Cnxns=0", "Cnxns=1000", Level::Ok);
        row("maxClientCnxns", "Cnxns=0", "Cnxns=many", Level::Unknown);
        row("tickTime", "tickTime=2000", "tickTime=3000", Level::Problem);
        row("session time-outs", "minSessionTimeout=4000", "minSessionTimeout=20000", Level::Warning);
        row("session time-outs", "minSessionTimeout=4000", "minSessionTimeout=1000", Level::Problem);
        row("session time-outs", "maxSessionTimeout=40000", "maxSessionTimeout=8000", Level::Warning);
        row("ensemble", "server.3=c:1:2:participant", "server.3=c:1:2:observer", Level::Warning); // two voters
        row("ensemble", "server.3=", "server.4=d:1:2:participant\nserver.3=", Level::Warning); // three are named
    }
    void settings()
    {
        QFETCH(QByteArray, subject);
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(int, level);
        const Finding finding = afterChange(subject, from, to);
        QCOMPARE(int(finding.level), level);
        QCOMPARE(finding.level == Level::Ok, finding.advice.isEmpty());
    }

    // Who mends what is well, because one server has no link to it, may end the majority.
    void adviceAboutOneServerLeavesTheOthersAlone()
    {
        EnsembleView view{three(), {}, 10s};
        view.reports[2].role = Role::NotServing;
        QVERIFY2(findingsOf(view.reports)[2].advice.startsWith(u"leave the other servers as they are"),
                 qPrintable(findingsOf(view.reports)[2].advice));
        view.reports[0].role = view.reports[1].role = Role::NotServing;
        for (const Finding &finding : findingsOf(view.reports))
            QCOMPARE(finding.advice, QStringLiteral("it has no majority: start or mend the other servers"));
        view.reports[0].role = Role::Standalone;
        QCOMPARE(findingsOf(view.reports)[1].advice,
                 QStringLiteral("it has no majority: start or mend the other servers"));
    }

    void serversThatDifferAreNamed()
    {
        EnsembleView view{three(), {}, 10s};
        view.reports[1].answers["srvr"].replace("3.8.0", "3.9.2");
        QCOMPARE(about(view, "version").what, QStringLiteral("3.8.0, 3.9.2"));
        QVERIFY(about(view, "version").level == Level::Warning);
        view.reports[2].answers["conf"].replace("server.3=c", "server.3=x");
        QVERIFY(about(view, "ensemble").level == Level::Problem);
        view.reports[2].answers["conf"].replace("tickTime=2000", "tickTime=1000");
        QVERIFY(about(view, "tickTime").level == Level::Warning);
    }

    // Each has the shortest session that it gives by itself: two of its own ticks.
    void aSessionIsMeasuredByTheTicksOfItsServer()
    {
        EnsembleView view{three(), {}, 10s};
        view.reports[2].answers["conf"].replace("tickTime=2000", "tickTime=3000");
        view.reports[2].answers["conf"].replace("minSessionTimeout=4000", "minSessionTimeout=6000");
        QVERIFY2(about(view, "session time-outs").level == Level::Ok,
                 qPrintable(about(view, "session time-outs").what));
        view.reports[2].answers["conf"].replace("minSessionTimeout=6000", "minSessionTimeout=5000");
        QVERIFY2(about(view, "session time-outs").what.startsWith(u"minSessionTimeout is 5000 ms, less than two ticks"),
                 qPrintable(about(view, "session time-outs").what));
    }

    // A sentence that follows another one is one.
    void adviceHasWholeSentences()
    {
        EnsembleView view{three(), {}, 10s};
        for (zk::ServerReport &report : view.reports)
            report.forbidden = {"mntr"};
        static const QRegularExpression HalfSentence(QStringLiteral("\\. [a-z]"));
        for (const Finding &finding : checkEnsemble(view))
            QVERIFY2(!finding.advice.contains(HalfSentence), qPrintable(finding.advice));
    }

    void aStandaloneServerIsNoEnsemble()
    {
        const zk::ServerReport alone = server(Role::Standalone, {});
        QVERIFY(about({{alone}, {}, 10s}, "ensemble").level == Level::Warning);
        QVERIFY(about({{alone, alone}, {}, 10s}, "ensemble").level == Level::Problem);
        QCOMPARE(about({{alone}, {}, 10s}, "db.autocreate").subject, QStringLiteral("(none)"));
    }

    void whatMayNotBeAskedIsUnknown()
    {
        EnsembleView view{three(), Three, 10s};
        for (zk::ServerReport &report : view.reports) {
            report.answers.erase("conf");
            report.forbidden = {"conf", "mntr"};
        }
        QVERIFY(about(view, "4lw.commands.whitelist").level == Level::Warning);
        for (const char *const subject : {"maxClientCnxns", "tickTime", "session time-outs", "autopurge"})
            QVERIFY2(about(view, subject).level == Level::Unknown, subject);
        QVERIFY(about(view, "ensemble").level == Level::Ok); // as /zookeeper/config says
        view.config.clear();
        QVERIFY(about(view, "ensemble").level == Level::Unknown);
    }

    void theMajorityCountsWhoServes()
    {
        const std::optional<zk::Membership> members = zk::Membership::in(Three);
        zk::Majority majority = zk::majorityOf(three(), members);
        QCOMPARE(majority.mayFail(), 1);
        std::vector<zk::ServerReport> reports = three();
        reports[1].role = Role::Silent; // the leader still counts it
        majority = zk::majorityOf(reports, members);
        QCOMPARE(majority.serving, 2);
        QVERIFY(majority.isServed && majority.mayFail() == 0);
        reports[0].role = Role::Silent; // the other has not noticed
        QVERIFY(!zk::majorityOf(reports, members).isServed);
        const zk::Majority byLeader = zk::majorityOf({server(Role::Leader)}, members);
        QVERIFY(byLeader.serving == 3 && byLeader.isServed);
        const zk::Majority byFollower = zk::majorityOf({server(Role::Follower)}, members);
        QVERIFY(byFollower.serving == 1 && byFollower.isServed && byFollower.mayFail() == 0);
    }

    // Any program may answer at such a port.
    void hostileAnswersAreBounded()
    {
        zk::ServerReport report =
            server(Role::Leader, "server.1=a:1:2:participant\n" + QByteArray("server.2=b\n").repeated(90'000));
        report.answers["srvr"] =
            "Zookeeper version: " + QByteArray(500'000, 'x') + "\nLatency min/avg/max: x\nZxid: -1\n";
        report.answers["mntr"] = "zk_synced_followers\t9223372036854775807\n";
        QVERIFY(report.version().size() <= 100);
        QVERIFY(!report.latency() && !report.zxid());
        const zk::Majority majority = zk::majorityOf({report}, zk::membershipOf({report}, {}));
        QVERIFY(majority.voters <= 100 && majority.serving <= 100);
        for (const Finding &finding : checkEnsemble({{report}, {}, 10s}))
            QVERIFY2(finding.what.size() < 1'000, qPrintable(finding.subject));
        report.answers["mntr"] = "zk_synced_followers\t-9223372036854775808\n";
        QCOMPARE(zk::majorityOf({report}, zk::Membership::in(Three)).serving, 1);
    }
};

QTEST_GUILESS_MAIN(EnsembleChecksTest)
#include "ensemble_checks_test.moc"
