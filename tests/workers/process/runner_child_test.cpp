#include "runner_fixture.h"
#include "workers/process/runner_child.h"

#include <QScopeGuard>
#include <QSignalSpy>

#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace drover::workers;
using namespace drover::workers::testing;

class RunnerChildTest : public QObject
{
    Q_OBJECT

    int m_lease = -1;

private Q_SLOTS:
    void init()
    {
        m_lease = ::memfd_create("lease", MFD_CLOEXEC);
        QVERIFY(m_lease >= 0);
        QCOMPARE(::ftruncate(m_lease, sizeof(protocol::LeaseWord)), 0);
    }
    void cleanup() { ::close(m_lease); }

    // Otherwise an order to kill a job would vanish without a report.
    void aMessageThatCanNeverBeSentEndsTheRunner()
    {
        RunnerChild process(RunnerClient::findProgram(), {}, m_lease, -1, ProcessView::Own);
        QSignalSpy died(&process, &RunnerChild::died);
        process.send(std::string(64 * 1024 * 1024, 'x')); // more than any socket buffer takes as one message
        QTRY_COMPARE_WITH_TIMEOUT(died.size(), 1, 60'000);
        QVERIFY2(died[0][0].toString().contains(QStringLiteral("signal 9")), qPrintable(died[0][0].toString()));
        QCOMPARE(process.pid(), 0);
        process.send("too late"); // must not signal process 0, which is our own group
        QCOMPARE(died.size(), 1);
    }

    // After an upgrade the program is another's: it does not understand us, and has begun nothing. A job may have
    // killed one that dies by a signal.
    void aRunnerThatEndsSilentlyHasServedNoJob()
    {
        RunnerChild upgraded(RunnerClient::findProgram(), {}, m_lease, -1, ProcessView::Own);
        const QSignalSpy ended(&upgraded, &RunnerChild::died);
        std::string message = encode(protocol::Command{.runId = 1, .arguments = {"true"}});
        message.front() = char(protocol::version + 1);
        upgraded.send(std::move(message));
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 60'000);
        QVERIFY(upgraded.startedNoJob());

        RunnerChild shot(RunnerClient::findProgram(), {}, m_lease, -1, ProcessView::Own);
        const QSignalSpy killed(&shot, &RunnerChild::died);
        ::kill(shot.pid(), SIGKILL);
        QTRY_COMPARE_WITH_TIMEOUT(killed.size(), 1, 60'000);
        QVERIFY(!shot.startedNoJob());
    }

    // Nothing would tell of its end, and to destroy it would wait for it without limit.
    void aRunnerThatCannotBeHeldIsNotStarted_data()
    {
        QTest::addColumn<int>("free"); // descriptors
        QTest::newRow("two, for the two ends of the socket") << 2;
        QTest::newRow("and one, so that it would run without its lease") << 3;
        QTest::newRow("and two, for its words") << 4;
        QTest::newRow("and one more, so that it would run without its lease") << 5;
    }

    void aRunnerThatCannotBeHeldIsNotStarted()
    {
        QFETCH(int, free);
        const QString program = RunnerClient::findProgram();
        QVERIFY(!std::generic_category().message(EMFILE).empty()); // a sanitizer needs a descriptor to know its type
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_NOFILE, &before), 0);
        const rlimit few{.rlim_cur = 256, .rlim_max = before.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &few), 0);
        std::vector<drover::posix::FileDescriptor> all;
        for (int fd = -1; (fd = ::fcntl(m_lease, F_DUPFD_CLOEXEC, 0)) >= 0;)
            all.emplace_back(fd);
        all.erase(all.end() - free, all.end());
        bool isRefused = false;
        try {
            const RunnerChild process(program, {}, m_lease, -1, ProcessView::Own);
        } catch (const RunnerDied &) {
            isRefused = true;
        }
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &before), 0);
        QVERIFY(isRefused);
        QVERIFY(::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD); // no child is left
    }

    // The log of a launched worker is begun anew at times (app::WorkerLog). The runner kept the old one open, and had
    // its last words there, where they are not looked for, or in a file without a name.
    void itsWordsGoToTheLogThatIsThen()
    {
        const QTemporaryDir directory;
        const auto path = [&directory](const char *name) { return directory.filePath(QLatin1String(name)); };
        const auto read = [&path](const char *name) {
            QFile file(path(name));
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("there is none");
        };
        const auto writeErrorsTo = [&path](const char *name) {
            const QByteArray log = QFile::encodeName(path(name));
            const drover::posix::FileDescriptor file(::open(log.constData(), O_WRONLY | O_CREAT | O_APPEND, 0600));
            ::dup2(file.get(), STDERR_FILENO);
        };
        QFile script(path("runner"));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\necho first >&2\nread order <\"$0.order\"\necho last >&2\n");
        QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
        script.close();
        QCOMPARE(::mkfifo(QFile::encodeName(path("runner.order")).constData(), 0600), 0);
        const drover::posix::FileDescriptor ownError(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10));
        const auto restore = qScopeGuard([&ownError] { ::dup2(ownError.get(), STDERR_FILENO); });
        writeErrorsTo("log.1");
        RunnerChild process(script.fileName(), {}, m_lease, -1, ProcessView::Machine);
        QSignalSpy died(&process, &RunnerChild::died);
        QTRY_COMPARE_WITH_TIMEOUT(read("log.1"), QByteArray("first\n"), 60'000);
        writeErrorsTo("log");
        QFile order(path("runner.order"));
        QVERIFY(order.open(QIODevice::WriteOnly) && order.write("go\n") == 3);
        order.close();
        QTRY_COMPARE_WITH_TIMEOUT(died.size(), 1, 60'000);
        QCOMPARE(read("log"), QByteArray("last\n"));
        QCOMPARE(read("log.1"), QByteArray("first\n"));
    }

    void bytesThatTheSocketDoesNotTakeWait()
    {
        RunnerChild process(RunnerClient::findProgram(), {}, m_lease, -1, ProcessView::Own);
        QSignalSpy died(&process, &RunnerChild::died);
        int answers = 0;
        connect(&process, &RunnerChild::received, this, [&answers] { ++answers; });
        // Each is answered: there is no lease, so none of them starts.
        constexpr int Count = 300;
        for (int i = 1; i <= Count; ++i) {
            const protocol::Command start{.runId = static_cast<std::uint64_t>(i),
                                          .arguments = {"true", std::string(64 * 1024, 'x')},
                                          .directory = "/"};
            process.send(encode(start));
        }
        QTRY_COMPARE_WITH_TIMEOUT(answers, Count, 60'000);
        QVERIFY(died.isEmpty());
    }
};

QTEST_GUILESS_MAIN(RunnerChildTest)
#include "runner_child_test.moc"
