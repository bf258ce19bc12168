#include "posix/held_process.h"
#include "posix/pipe.h"

#include <QTest>

#include <csignal>
#include <cstdlib>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace drover::posix;
using namespace std::chrono_literals;

namespace {

bool isOpen(int descriptor)
{
    return ::fcntl(descriptor, F_GETFD) != -1;
}

// A process that waits until it is killed.
class Waiting
{
public:
    Waiting() : m_pid(::fork())
    {
        if (m_pid == 0) {
            ::pause();
            ::_exit(0);
        }
    }
    Waiting(const Waiting &) = delete;
    Waiting &operator=(const Waiting &) = delete;
    ~Waiting() { reap(); }

    pid_t pid() const { return m_pid; }
    void reap()
    {
        if (const pid_t pid = std::exchange(m_pid, 0); pid > 0) {
            ::kill(pid, SIGKILL);
            ::waitpid(pid, nullptr, 0);
        }
    }

private:
    pid_t m_pid;
};

} // namespace

class ProcessTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aHeldProcessEndsBySignal()
    {
        const Waiting waiting;
        const HeldProcess held(waiting.pid());
        QVERIFY(held);
        QVERIFY(!held.hasEnded());
        QVERIFY(held.signal(SIGKILL));
        QVERIFY(held.hasEnded(10s)); // it is not reaped yet
    }

    void aReapedProcessIsNotSignalled()
    {
        Waiting waiting;
        const HeldProcess held(waiting.pid());
        waiting.reap();
        QVERIFY(held.hasEnded());
        QVERIFY(!held.signal(0));
        QCOMPARE(errno, ESRCH);
    }

    void aProcessThatIsGoneHasEnded()
    {
        QVERIFY(HeldProcess().hasEnded());
        Waiting waiting;
        const pid_t pid = waiting.pid();
        waiting.reap();
        QVERIFY(!HeldProcess(pid));
        QVERIFY(HeldProcess(pid).hasEnded());
        QVERIFY(!HeldProcess().signal(SIGKILL));
    }

    void bothEndsOfAPipeClose()
    {
        int reader = -1;
        int writer = -1;
        {
            const Pipe pipe = Pipe::make();
            QVERIFY(pipe);
            reader = pipe.reader.get();
            writer = pipe.writer.get();
            QVERIFY((::fcntl(reader, F_GETFD) & FD_CLOEXEC) && (::fcntl(writer, F_GETFD) & FD_CLOEXEC));
            QCOMPARE(::write(writer, "x", 1), 1);
            char byte = 0;
            QCOMPARE(::read(reader, &byte, 1), 1);
        }
        QVERIFY(!isOpen(reader) && !isOpen(writer));
    }

    void withoutDescriptorsThereIsNoPipe()
    {
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_NOFILE, &before), 0);
        const rlimit none{0, before.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &none), 0);
        const Pipe pipe = Pipe::make();
        const int error = errno;
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &before), 0);
        QVERIFY(!pipe);
        QCOMPARE(error, EMFILE);
    }

    void aReleasedDescriptorStaysOpen()
    {
        int kept = -1;
        {
            Pipe pipe = Pipe::make();
            kept = pipe.reader.release();
            QVERIFY(!pipe.reader);
        }
        QVERIFY(isOpen(kept));
        ::close(kept);
    }
};

QTEST_GUILESS_MAIN(ProcessTest)
#include "process_test.moc"
