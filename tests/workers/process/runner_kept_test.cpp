#include "runner_fixture.h"
#include "support/send_signal.h"
#include "workers/process/result_file.h"

#include <QProcess>
#include <QSysInfo>

#include <signal.h>

using namespace drover::workers;
using namespace drover::workers::testing;
using drover::async::BootClock;
using drover::test::sendSignal;

namespace {

RunnerClient::Options at(const QTemporaryDir &state)
{
    return {.stateFolder = state.path()};
}

Command noted(const QTemporaryDir &folder, const QByteArray &keptClaim, const QByteArray &script)
{
    return {.arguments = {"sh", "-c", script.toStdString()},
            .environment = {"PATH=/usr/bin:/bin"},
            .directory = bytes(folder.path()),
            .keptClaim = keptClaim.toStdString()};
}

Outcome finish(RunnerClient &runner, const Command &command)
{
    return wait(runner.run(command).outcome);
}

} // namespace

// The results that outlive those who could have told them.
class RunnerKeptTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aTornResultIsNotRead();
    void aResultIsKeptUntilItIsSettled();
    void onlyEndsOfTheirOwnAreKept();
    void theNextProcessFindsKeptResults();
    void theyAreFoundUnderAnotherHostName();
    void aForgottenFileGoes();
    void killedWithItsRunner();
};

void RunnerKeptTest::aTornResultIsNotRead()
{
    const Outcome outcome{.runId = 7, .exitCode = 3, .tail = std::string(4096, 'x')};
    const std::string slot = protocol::encodeResult("a claim", outcome);
    const std::optional<protocol::KeptResult> read = protocol::decodeResult(slot + "what was there before");
    QVERIFY(read && read->keptClaim == "a claim" && read->outcome.exitCode == 3 && read->outcome.tail == outcome.tail);
    for (std::size_t size = 0; size < slot.size(); ++size)
        QVERIFY(!protocol::decodeResult(slot.substr(0, size)));
    for (std::size_t i = 0; i < slot.size(); ++i) {
        std::string torn = slot;
        torn[i] = char(torn[i] ^ 1);
        QVERIFY(!protocol::decodeResult(torn));
    }
    QVERIFY(!protocol::decodeResult(std::string(protocol::resultSize, '\0')));
    QCOMPARE(protocol::encodeResult("n", {.reason = std::string(protocol::resultSize, 'x')}), std::string());
}

void RunnerKeptTest::aResultIsKeptUntilItIsSettled()
{
    const QTemporaryDir state;
    const QTemporaryDir folder;
    RunnerClient runner(at(state));
    runner.setLease(drover::async::TimePoint::max());
    const RunHandle one = runner.run(noted(folder, "one", "exit 3"));
    QCOMPARE(wait(one.outcome).exitCode, 3);
    QVERIFY(finish(runner, noted(folder, "two", "echo hello")).succeeded());
    QVERIFY(finish(runner, noted(folder, {}, "true")).succeeded());
    const std::vector<KeptResult> kept = runner.kept();
    QCOMPARE(kept.size(), 2u);
    QCOMPARE(kept[0].outcome.runId, one.runId);
    QCOMPARE(kept[0].keptClaim, std::string("one"));
    QCOMPARE(kept[0].outcome.exitCode, 3);
    QCOMPARE(kept[1].outcome.tail, std::string("hello\n"));
    for (const KeptResult &result : kept)
        runner.acknowledge(result.outcome.runId);
    QVERIFY(runner.kept().empty());
    for (int i = 0; i < 100; ++i) { // a place is used again
        const RunHandle job = runner.run(noted(folder, "many", "true"));
        QVERIFY(wait(job.outcome).succeeded());
        runner.acknowledge(job.runId);
    }
    const QFileInfoList files = QDir(state.path()).entryInfoList(QDir::Files);
    QCOMPARE(files.size(), 1);
    QCOMPARE_LE(files[0].size(), qint64(3 * protocol::resultSize));
}

void RunnerKeptTest::onlyEndsOfTheirOwnAreKept()
{
    const QTemporaryDir state;
    const QTemporaryDir folder;
    RunnerClient runner(at(state));
    runner.setLease(drover::async::TimePoint::max());
    const RunHandle killed = runner.run(noted(folder, "killed", "sleep 1000"));
    QVERIFY(wait(killed.started));
    runner.kill(killed.runId, 0s);
    QCOMPARE(wait(killed.outcome).how, How::Killed);
    QCOMPARE(finish(runner, noted(folder, "absent", "exec /no/such/program")).exitCode, 127);
    Command late = noted(folder, "late", "sleep 1000");
    late.timeLimit = 20ms;
    QCOMPARE(finish(runner, late).how, How::TimedOut);
    RunnerClient leased(at(state));
    leased.setLease(BootClock::now() + 300ms);
    QCOMPARE(finish(leased, noted(folder, "lease", "sleep 1000")).how, How::LeaseExpired);
    QVERIFY(leased.kept().empty());
    QByteArrayList notes;
    for (const KeptResult &result : runner.kept())
        notes << QByteArray::fromStdString(result.keptClaim);
    QCOMPARE(notes, (QByteArrayList{"absent", "late"}));
}

void RunnerKeptTest::theNextProcessFindsKeptResults()
{
    const QTemporaryDir state;
    const QTemporaryDir folder;
    {
        RunnerClient runner(at(state));
        runner.setLease(drover::async::TimePoint::max());
        QCOMPARE(finish(runner, noted(folder, "one", "exit 3")).exitCode, 3);
        QVERIFY(RunnerClient(at(state)).kept().empty()); // it lives
    }
    {
        const RunnerClient next(at(state));
        QCOMPARE(next.kept().size(), 1u); // and dies before it can report the result
    }
    RunnerClient last(at(state));
    const std::vector<KeptResult> kept = last.kept();
    QCOMPARE(kept.size(), 1u);
    QCOMPARE(kept[0].keptClaim, std::string("one"));
    QCOMPARE(kept[0].outcome.exitCode, 3);
    last.acknowledge(kept[0].outcome.runId);
    QVERIFY(last.kept().empty());
    QCOMPARE(QDir(state.path()).entryList(QDir::Files).size(), 1); // its own
}

// The host was renamed while it ran.
void RunnerKeptTest::theyAreFoundUnderAnotherHostName()
{
    const QTemporaryDir state;
    const QTemporaryDir folder;
    {
        RunnerClient runner(at(state));
        runner.setLease(drover::async::TimePoint::max());
        QCOMPARE(finish(runner, noted(folder, "one", "exit 3")).exitCode, 3);
    }
    QDir files(state.path());
    const QString name = files.entryList(QDir::Files).value(0);
    QVERIFY(files.rename(name, u"former-name"_qs + name.mid(QSysInfo::machineHostName().size())));
    RunnerClient next(at(state));
    QCOMPARE(next.kept().size(), 1u);
    next.acknowledge(next.kept()[0].outcome.runId);
    QCOMPARE(files.entryList(QDir::Files).size(), 1); // its own
}

// Of a machine that never came back.
void RunnerKeptTest::aForgottenFileGoes()
{
    const QTemporaryDir state;
    const auto write = [&](const char *name, int daysAgo) {
        QFile file(state.filePath(QString::fromLatin1(name)));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.setFileTime(QDateTime::currentDateTime().addDays(-daysAgo), QFile::FileModificationTime));
    };
    write("elsewhere-0badcafe-0123456789abcdef0123456789abcdef", 29);
    write("elsewhere-0badcafe-fedcba9876543210fedcba9876543210", 40);
    const RunnerClient runner(at(state));
    const QStringList left = QDir(state.path()).entryList({u"elsewhere-*"_qs}, QDir::Files);
    QCOMPARE(left, QStringList(u"elsewhere-0badcafe-0123456789abcdef0123456789abcdef"_qs));
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
    sendSignal(worker, SIGKILL);
    ::kill(runner, SIGKILL);
    QVERIFY(worker.waitForFinished());
    QVERIFY(QTest::qWaitFor([&] { return noneLocked(state.path()); }, int(patience.count()) * 1000));
    const RunnerClient next(at(state));
    QCOMPARE(next.kept().size(), 1u);
    QCOMPARE(next.kept()[0].keptClaim, std::string("a claim"));
    QCOMPARE(next.kept()[0].outcome.exitCode, 7);
}

// A worker that never reads what its runner tells it.
static int host(const QString &folder, const QString &state)
{
    RunnerClient runner(RunnerClient::Options{.stateFolder = state});
    runner.setLease(BootClock::now() + 1h);
    const RunHandle job = runner.run({.arguments = {"sh", "-c", "exit 7"},
                                      .environment = {"PATH=/usr/bin:/bin"},
                                      .directory = bytes(folder),
                                      .keptClaim = "a claim"});
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
