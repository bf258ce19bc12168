#include "async/owned_process.h"
#include "async/qt_loop.h"
#include "async/task_group.h"
#include "posix/held_process.h"

#include <QTest>

#include <csignal>
#include <memory>
#include <thread>

#include <unistd.h>

using namespace drover;
using namespace std::chrono_literals;
using async::OwnedProcess;

namespace {

// Sets `ended` when the process has, and destroys it from there.
async::Task<void> waitAndDestroy(std::unique_ptr<OwnedProcess> &process, bool &ended)
{
    co_await process->ended();
    process.reset();
    ended = true;
}

} // namespace

class OwnedProcessTest : public QObject
{
    Q_OBJECT

    async::QtLoop m_loop;

private Q_SLOTS:
    void itEndsWithItsOwner()
    {
        posix::HeldProcess held;
        {
            OwnedProcess process(OwnedProcess::Group::Own);
            process.start(QStringLiteral("sleep"), {QStringLiteral("600")});
            QVERIFY(process.waitForStarted());
            held = posix::HeldProcess(pid_t(process.processId()));
            QCOMPARE(::getpgid(pid_t(process.processId())), pid_t(process.processId()));
            QVERIFY(!held.hasEnded());
        }
        QVERIFY(held.hasEnded());
    }

    void itEndsWithTheThreadThatHasStartedIt()
    {
        std::unique_ptr<OwnedProcess> process;
        posix::HeldProcess held;
        std::thread([&] {
            process = std::make_unique<OwnedProcess>();
            process->start(QStringLiteral("sleep"), {QStringLiteral("600")});
            if (process->waitForStarted())
                held = posix::HeldProcess(pid_t(process->processId()));
        }).join();
        QVERIFY(held);
        QVERIFY(held.hasEnded(10s));
    }

    void theProcessMayBeDestroyedWhenItsEndIsAwaited_data()
    {
        QTest::addColumn<QString>("program");
        QTest::newRow("runs") << QStringLiteral("true");
        QTest::newRow("cannot be started") << QStringLiteral("/nowhere/program");
    }

    void theProcessMayBeDestroyedWhenItsEndIsAwaited()
    {
        QFETCH(QString, program);
        auto process = std::make_unique<OwnedProcess>();
        bool ended = false;
        async::TaskGroup group;
        group.spawn(waitAndDestroy(process, ended));
        process->start(program, {});
        QTRY_VERIFY_WITH_TIMEOUT(ended, 30'000);
        QVERIFY(!process);
    }
};

QTEST_GUILESS_MAIN(OwnedProcessTest)
#include "owned_process_test.moc"
