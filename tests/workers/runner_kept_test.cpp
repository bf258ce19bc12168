#include "runner_fixture.h"
#include "workers/result_slots.h"

#include <QProcess>

#include <signal.h>

using namespace drover::workers;
using namespace drover::workers::testing;
using drover::async::BootClock;

namespace {

ProcessRunner::Options at(const QTemporaryDir &state)
{
    return {.stateFolder = state.path()};
}

Command noted(const QTemporaryDir &folder, const QByteArray &note, const QByteArray &script)
{
    return {.arguments = {"sh", "-c", script},
            .environment = {"PATH=/usr/bin:/bin"},
            .directory = folder.path(),
            .note = note};
}

Outcome finish(ProcessRunner &runner, const Command &command)
{
    return wait(runner.run(command).outcome);
}

} // namespace

// The results that outlive those who could have told them.
class RunnerKeptTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void slotsHoldWhatIsWhole();
    void aResultIsKeptUntilItIsSettled();
    void onlyEndsOfTheirOwnAreKept();
    void theNextProcessFindsThem();
    void killedWithItsRunner();
};

void RunnerKeptTest::slotsHoldWhatIsWhole()
{
    const protocol::Finished finished{.token = 7, .exitCode = 3, .tail = std::string(4096, 'x')};
    const std::string slot = protocol::toSlot("a note", finished);
    const std::optional<protocol::KeptResult> read = protocol::fromSlot(slot + "what was there before");
    QVERIFY(read && read->note == "a note" && read->finished.exitCode == 3 && read->finished.tail == finished.tail);
    for (std::size_t size = 0; size < slot.size(); ++size)
        QVERIFY(!protocol::fromSlot(slot.substr(0, size)));
    for (std::size_t i = 0; i < slot.size(); ++i) {
        std::string torn = slot;
        torn[i] = char(torn[i] ^ 1);
        QVERIFY(!protocol::fromSlot(torn));
    }
    QVERIFY(!protocol::fromSlot(std::string(protocol::slotSize, '\0')));
    QCOMPARE(protocol::toSlot("n", {.reason = std::string(protocol::slotSize, 'x')}), std::string());
}

void RunnerKeptTest::aResultIsKeptUntilItIsSettled()
{
    const QTemporaryDir state;
    const QTemporaryDir folder;
    ProcessRunner runner(at(state));
    runner.setLease(drover::async::TimePoint::max());
    const Running one = runner.run(noted(folder, "one", "exit 3"));
    QCOMPARE(wait(one.outcome).exitCode, 3);
    QVERIFY(finish(runner, noted(folder, "two", "echo hello")).succeeded());
    QVERIFY(finish(runner, noted(folder, {}, "true")).succeeded());
    const std::vector<KeptRun> kept = runner.kept();
    QCOMPARE(kept.size(), 2u);
    QCOMPARE(kept[0].token, one.token);
    QCOMPARE(kept[0].note, "one");
    QCOMPARE(kept[0].outcome.exitCode, 3);
    QCOMPARE(kept[1].outcome.tail, "hello\n");
    for (const KeptRun &result : kept)
        runner.settle(result.token);
    QVERIFY(runner.kept().empty());
    for (int i = 0; i < 100; ++i) { // a place is used again
        const Running job = runner.run(noted(folder, "many", "true"));
        QVERIFY(wait(job.outcome).succeeded());
        runner.settle(job.token);
    }
    const QFileInfoList files = QDir(state.path()).entryInfoList(QDir::Files);
    QCOMPARE(files.size(), 1);
    QCOMPARE_LE(files[0].size(), qint64(3 * protocol::slotSize));
}

void RunnerKeptTest::onlyEndsOfTheirOwnAreKept()
{
    const QTemporaryDir state;
    const QTemporaryDir folder;
    ProcessRunner runner(at(state));
    runner.setLease(drover::async::TimePoint::max());
    const Running killed = runner.run(noted(folder, "killed", "sleep 1000"));
    QVERIFY(wait(killed.started));
    runner.kill(killed.token, 0s);
    QCOMPARE(wait(killed.outcome).how, How::Killed);
    QCOMPARE(finish(runner, noted(folder, "absent", "exec /no/such/program")).exitCode, 127);
    Command late = noted(folder, "late", "sleep 1000");
    late.timeLimit = 20ms;
    QCOMPARE(finish(runner, late).how, How::TimedOut);
    ProcessRunner leased(at(state));
    leased.setLease(BootClock::now() + 300ms);
    QCOMPARE(finish(leased, noted(folder, "lease", "sleep 1000")).how, How::LeaseExpired);
    QVERIFY(leased.kept().empty());
    QByteArrayList notes;
    for (const KeptRun &result : runner.kept())
        notes << result.note;
    QCOMPARE(notes, (QByteArrayList{"absent", "late"}));
}

void RunnerKeptTest::theNextProcessFindsThem()
{
    const QTemporaryDir state;
    const QTemporaryDir folder;
    {
        ProcessRunner runner(at(state));
        runner.setLease(drover::async::TimePoint::max());
        QCOMPARE(finish(runner, noted(folder, "one", "exit 3")).exitCode, 3);
        QVERIFY(ProcessRunner(at(state)).kept().empty()); // it lives
    }
    {
        const ProcessRunner next(at(state));
        QCOMPARE(next.kept().size(), 1u); // and dies before it can tell anybody
    }
    ProcessRunner last(at(state));
    const std::vector<KeptRun> kept = last.kept();
    QCOMPARE(kept.size(), 1u);
    QCOMPARE(kept[0].note, "one");
    QCOMPARE(kept[0].outcome.exitCode, 3);
    last.settle(kept[0].token);
    QVERIFY(last.kept().empty());
    QCOMPARE(QDir(state.path()).entryList(QDir::Files).size(), 1); // its own
}

void RunnerKeptTest::killedWithItsRunner()
{
    const QTemporaryDir state;
    const QTemporaryDir folder;
    QProcess worker;
    worker.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--host"), folder.path(), state.path()});
    const pid_t runner = someIn(folder.filePath(QStringLiteral("runner")), 1).value(0);
    QVERIFY(runner > 0 && isAlive(runner) && worker.processId() > 0);
    const auto written = [&] {
        const QFileInfoList files = QDir(state.path()).entryInfoList(QDir::Files);
        return files.size() == 1 && files[0].size() > 0;
    };
    QVERIFY(QTest::qWaitFor(written, int(patience.count()) * 1000));
    ::kill(pid_t(worker.processId()), SIGKILL);
    ::kill(runner, SIGKILL);
    QVERIFY(worker.waitForFinished());
    QVERIFY(QTest::qWaitFor([&] { return noneLocked(state.path()); }, int(patience.count()) * 1000));
    const ProcessRunner next(at(state));
    QCOMPARE(next.kept().size(), 1u);
    QCOMPARE(next.kept()[0].note, "a note");
    QCOMPARE(next.kept()[0].outcome.exitCode, 7);
}

// A worker that never reads what its runner tells it.
static int host(const QString &folder, const QString &state)
{
    ProcessRunner runner(ProcessRunner::Options{.stateFolder = state});
    runner.setLease(BootClock::now() + 1h);
    const Running job = runner.run({.arguments = {"sh", "-c", "exit 7"},
                                    .environment = {"PATH=/usr/bin:/bin"},
                                    .directory = folder,
                                    .note = "a note"});
    QFile pid(folder + u"/runner"_qs);
    if (!pid.open(QIODevice::WriteOnly))
        return 1;
    pid.write(QByteArray::number(runner.runnerPid()));
    pid.close();
    for (;;)
        ::pause();
}

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    if (argc == 4 && qstrcmp(argv[1], "--host") == 0)
        return host(QFile::decodeName(argv[2]), QFile::decodeName(argv[3]));
    RunnerKeptTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "runner_kept_test.moc"
