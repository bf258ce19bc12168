#include "runner_fixture.h"
#include "workers/lanes.h"

#include <signal.h>

using namespace drover::workers;
using namespace drover::workers::testing;
using drover::async::BootClock;

namespace {

struct Run {
    std::uint64_t token;
    std::uint32_t lane;
};

// A job that says that it runs, and goes on until it is killed.
Command endless(const Host &host, quint32 lane, const QString &name)
{
    Command command = host.shell("echo $$ > " + name.toLatin1() + "; exec sleep 1000");
    command.lane = lane;
    return command;
}

Command inLane(Command command, quint32 lane)
{
    command.lane = lane;
    return command;
}

bool exists(const Host &host, const QString &name)
{
    return QFile::exists(host.folder.filePath(name));
}

} // namespace

class RunnerLanesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void oneOfALaneRunsAtATime();
    void theNextBeginsWithoutTheWorker();
    void oneThatCannotStartHoldsUpNobody();
    void whatWaitsCanBeCalledBack();
    void whatRunsCannotBeCalledBack();
    void whatIsKilledBeforeItBeginsIsWithdrawn();
    void nothingFollowsWhenTheLeaseHasPassed();
    void theStartOfAShortRunIsToldWithItsEnd();
};

void RunnerLanesTest::oneOfALaneRunsAtATime()
{
    Lanes<Run> lanes;
    Run none{1, 0};
    Run other{2, 0};
    Run first{3, 7};
    Run second{4, 7};
    Run third{5, 7};
    Run elsewhere{6, 8};
    QVERIFY(lanes.enter(none) && lanes.enter(other)); // which is in no lane need not wait
    QVERIFY(lanes.enter(first) && lanes.enter(elsewhere));
    QVERIFY(!lanes.enter(second) && !lanes.enter(third));
    QVERIFY(!lanes.withdraw(first.token));
    QCOMPARE(lanes.withdraw(second.token)->token, second.token);
    QCOMPARE(lanes.leave(7)->token, third.token);
    QVERIFY(!lanes.leave(8));
    QVERIFY(!lanes.leave(7)); // the third is over
    QVERIFY(!lanes.leave(7));
    QVERIFY(lanes.enter(second)); // the lane is free again
}

// In their order, and no two at once: each removes what the one before it must not find any more.
void RunnerLanesTest::theNextBeginsWithoutTheWorker()
{
    Host host;
    const QByteArray script = "mkdir alone && echo $1 >> order && sleep 0.02 && rmdir alone";
    std::vector<Running> runs;
    for (const char *const name : {"1", "2", "3", "4"})
        runs.push_back(host.runner.run(inLane(host.command({"sh", "-c", script, "sh", name}), 1)));
    const pid_t runner = host.runner.runnerPid();
    const QString order = host.folder.filePath(QStringLiteral("order"));
    // This thread reads none of the runner's messages meanwhile.
    for (const auto end = BootClock::now() + patience; contents(order) != "1\n2\n3\n4\n" && BootClock::now() < end;)
        QThread::msleep(1);
    QCOMPARE(contents(order), "1\n2\n3\n4\n");
    for (const Running &run : runs)
        QVERIFY(wait(run.outcome).succeeded());
    QCOMPARE(host.runner.runnerPid(), runner);
}

void RunnerLanesTest::oneThatCannotStartHoldsUpNobody()
{
    Host host;
    const Running first = host.runner.run(inLane(host.shell("sleep 0.02"), 1));
    const Running second = host.runner.run(inLane(host.command({"/no/such/program"}), 1));
    const Running third = host.runner.run(inLane(host.command({"true"}), 1));
    QVERIFY(wait(first.outcome).succeeded());
    QCOMPARE(wait(second.outcome).exitCode, 127);
    QVERIFY(wait(third.outcome).succeeded());
}

void RunnerLanesTest::whatWaitsCanBeCalledBack()
{
    Host host;
    const Running first = host.runner.run(endless(host, 1, QStringLiteral("first")));
    const Running second = host.runner.run(endless(host, 1, QStringLiteral("second")));
    const Running third = host.runner.run(inLane(host.command({"true"}), 1));
    host.runner.recall(second.token);
    QCOMPARE(wait(second.outcome).how, How::Withdrawn);
    QVERIFY(!wait(second.started));
    host.runner.kill(first.token, 0s);
    QCOMPARE(wait(first.outcome).how, How::Killed);
    QVERIFY(wait(third.outcome).succeeded());
    QVERIFY(!exists(host, QStringLiteral("second")));
}

void RunnerLanesTest::whatRunsCannotBeCalledBack()
{
    Host host;
    const Running first = host.runner.run(endless(host, 1, QStringLiteral("first")));
    host.runner.recall(first.token);
    host.runner.recall(first.token + 100); // there is no such run
    QVERIFY(wait(first.started));
    QVERIFY(!first.outcome.ready());
    host.runner.kill(first.token, 0s);
    QCOMPARE(wait(first.outcome).how, How::Killed);
}

void RunnerLanesTest::whatIsKilledBeforeItBeginsIsWithdrawn()
{
    Host host;
    const Running first = host.runner.run(endless(host, 1, QStringLiteral("first")));
    const Running second = host.runner.run(endless(host, 1, QStringLiteral("second")));
    host.runner.kill(second.token, 10s);
    QCOMPARE(wait(second.outcome).how, How::Withdrawn);
    QVERIFY(wait(first.started));
    host.runner.kill(first.token, 0s);
    QCOMPARE(wait(first.outcome).how, How::Killed);
    QVERIFY(!exists(host, QStringLiteral("second")));
}

void RunnerLanesTest::nothingFollowsWhenTheLeaseHasPassed()
{
    Host host;
    host.runner.setLease(BootClock::now() + 500ms);
    const Running first = host.runner.run(endless(host, 1, QStringLiteral("first")));
    const Running second = host.runner.run(endless(host, 1, QStringLiteral("second")));
    QCOMPARE(wait(first.outcome).how, How::LeaseExpired);
    QCOMPARE(wait(second.outcome).how, How::LeaseExpired);
    QVERIFY(!exists(host, QStringLiteral("second")));
}

void RunnerLanesTest::theStartOfAShortRunIsToldWithItsEnd()
{
    Host host;
    const Running run = host.runner.run(host.command({"true"}));
    const Outcome outcome = wait(run.outcome);
    const std::optional<Started> started = wait(run.started);
    QVERIFY(started && started->pid > 0);
    QCOMPARE(started->at, outcome.startedAt);
}

QTEST_GUILESS_MAIN(RunnerLanesTest)
#include "runner_lanes_test.moc"
