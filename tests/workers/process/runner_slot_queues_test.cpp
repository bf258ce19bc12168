#include "runner_fixture.h"
#include "workers/process/slot_queues.h"

#include <signal.h>

using namespace drover::workers;
using namespace drover::workers::testing;
using drover::async::BootClock;

namespace {

struct Run {
    std::uint64_t runId;
    std::uint32_t slotQueue;
};

// A job that says that it runs, and goes on until it is killed.
Command endless(const Host &host, quint32 slotQueue, const QString &name)
{
    Command command = host.shell("echo $$ > " + name.toLatin1() + "; exec sleep 1000");
    command.slotQueue = slotQueue;
    return command;
}

Command inSlotQueue(Command command, quint32 slotQueue)
{
    command.slotQueue = slotQueue;
    return command;
}

bool exists(const Host &host, const QString &name)
{
    return QFile::exists(host.folder.filePath(name));
}

} // namespace

class RunnerSlotQueuesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void oneRunOfASlotQueueRunsAtATime();
    void theNextRunBeginsWithoutTheWorker();
    void aJobThatCannotStartDelaysNoOther();
    void aQueuedRunCanBeRecalled();
    void aStartedRunCannotBeRecalled();
    void aRunKilledBeforeItBeginsIsWithdrawn();
    void noQueuedRunBeginsAfterTheLease();
    void theStartOfAShortRunIsReportedWithItsEnd();
};

void RunnerSlotQueuesTest::oneRunOfASlotQueueRunsAtATime()
{
    SlotQueues<Run> slotQueues;
    Run none{1, 0};
    Run other{2, 0};
    Run first{3, 7};
    Run second{4, 7};
    Run third{5, 7};
    Run elsewhere{6, 8};
    QVERIFY(slotQueues.enter(none) && slotQueues.enter(other)); // a run without a queue need not wait
    QVERIFY(slotQueues.enter(first) && slotQueues.enter(elsewhere));
    QVERIFY(!slotQueues.enter(second) && !slotQueues.enter(third));
    QVERIFY(!slotQueues.withdraw(first.runId));
    QCOMPARE(slotQueues.withdraw(second.runId)->runId, second.runId);
    QCOMPARE(slotQueues.leave(7)->runId, third.runId);
    QVERIFY(!slotQueues.leave(8));
    QVERIFY(!slotQueues.leave(7)); // the third is over
    QVERIFY(!slotQueues.leave(7));
    QVERIFY(slotQueues.enter(second)); // the queue is free again
}

// In their order, and no two at once: each removes what the one before it must not find any more.
void RunnerSlotQueuesTest::theNextRunBeginsWithoutTheWorker()
{
    Host host;
    const QByteArray script = "mkdir alone && echo $1 >> order && sleep 0.02 && rmdir alone";
    std::vector<RunHandle> runs;
    for (const char *const name : {"1", "2", "3", "4"})
        runs.push_back(host.runner.run(inSlotQueue(host.command({"sh", "-c", script, "sh", name}), 1)));
    const pid_t runner = host.runner.runnerPid();
    const QString order = host.folder.filePath(QStringLiteral("order"));
    // This thread reads none of the runner's messages meanwhile.
    for (const auto end = BootClock::now() + patience; contents(order) != "1\n2\n3\n4\n" && BootClock::now() < end;)
        QThread::msleep(1);
    QCOMPARE(contents(order), "1\n2\n3\n4\n");
    for (const RunHandle &run : runs)
        QVERIFY(wait(run.outcome).succeeded());
    QCOMPARE(host.runner.runnerPid(), runner);
}

void RunnerSlotQueuesTest::aJobThatCannotStartDelaysNoOther()
{
    Host host;
    const RunHandle first = host.runner.run(inSlotQueue(host.shell("sleep 0.02"), 1));
    const RunHandle second = host.runner.run(inSlotQueue(host.command({"/no/such/program"}), 1));
    const RunHandle third = host.runner.run(inSlotQueue(host.command({"true"}), 1));
    QVERIFY(wait(first.outcome).succeeded());
    QCOMPARE(wait(second.outcome).exitCode, 127);
    QVERIFY(wait(third.outcome).succeeded());
}

void RunnerSlotQueuesTest::aQueuedRunCanBeRecalled()
{
    Host host;
    const RunHandle first = host.runner.run(endless(host, 1, QStringLiteral("first")));
    const RunHandle second = host.runner.run(endless(host, 1, QStringLiteral("second")));
    const RunHandle third = host.runner.run(inSlotQueue(host.command({"true"}), 1));
    host.runner.recall(second.runId);
    QCOMPARE(wait(second.outcome).how, How::Withdrawn);
    QVERIFY(!wait(second.started));
    host.runner.kill(first.runId, 0s);
    QCOMPARE(wait(first.outcome).how, How::Killed);
    QVERIFY(wait(third.outcome).succeeded());
    QVERIFY(!exists(host, QStringLiteral("second")));
}

void RunnerSlotQueuesTest::aStartedRunCannotBeRecalled()
{
    Host host;
    const RunHandle first = host.runner.run(endless(host, 1, QStringLiteral("first")));
    host.runner.recall(first.runId);
    host.runner.recall(first.runId + 100); // there is no such run
    QVERIFY(wait(first.started));
    QVERIFY(!first.outcome.ready());
    host.runner.kill(first.runId, 0s);
    QCOMPARE(wait(first.outcome).how, How::Killed);
}

void RunnerSlotQueuesTest::aRunKilledBeforeItBeginsIsWithdrawn()
{
    Host host;
    const RunHandle first = host.runner.run(endless(host, 1, QStringLiteral("first")));
    const RunHandle second = host.runner.run(endless(host, 1, QStringLiteral("second")));
    host.runner.kill(second.runId, 10s);
    QCOMPARE(wait(second.outcome).how, How::Withdrawn);
    QVERIFY(wait(first.started));
    host.runner.kill(first.runId, 0s);
    QCOMPARE(wait(first.outcome).how, How::Killed);
    QVERIFY(!exists(host, QStringLiteral("second")));
}

void RunnerSlotQueuesTest::noQueuedRunBeginsAfterTheLease()
{
    Host host;
    host.runner.setLease(BootClock::now() + 500ms);
    const RunHandle first = host.runner.run(endless(host, 1, QStringLiteral("first")));
    const RunHandle second = host.runner.run(endless(host, 1, QStringLiteral("second")));
    QCOMPARE(wait(first.outcome).how, How::LeaseExpired);
    QCOMPARE(wait(second.outcome).how, How::LeaseExpired);
    QVERIFY(!exists(host, QStringLiteral("second")));
}

void RunnerSlotQueuesTest::theStartOfAShortRunIsReportedWithItsEnd()
{
    Host host;
    const RunHandle run = host.runner.run(host.command({"true"}));
    const Outcome outcome = wait(run.outcome);
    const std::optional<Started> started = wait(run.started);
    QVERIFY(started && started->pid > 0);
    QCOMPARE(started->startedAt, outcome.startedAt);
}

QTEST_GUILESS_MAIN(RunnerSlotQueuesTest)
#include "runner_slot_queues_test.moc"
