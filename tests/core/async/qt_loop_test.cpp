#include "async/qt_loop.h"

#include <QFile>
#include <QTest>

#include <atomic>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

using namespace drover;

// The threads of the loop's work.
class QtLoopTest : public QObject
{
    Q_OBJECT

    async::QtLoop m_loop;

    // The address space of this process has no room for the stack of another thread.
    class WithoutThreads
    {
    public:
        WithoutThreads()
        {
            QFile status(QStringLiteral("/proc/self/statm"));
            const bool opened = status.open(QIODevice::ReadOnly);
            const rlim_t pages = opened ? status.readAll().split(' ').first().toULongLong() : 0;
            ::getrlimit(RLIMIT_AS, &m_before);
            rlimit little = m_before;
            little.rlim_cur = pages * rlim_t(::sysconf(_SC_PAGESIZE)) + (2 << 20);
            ::setrlimit(RLIMIT_AS, &little);
        }
        ~WithoutThreads() { ::setrlimit(RLIMIT_AS, &m_before); }

    private:
        rlimit m_before{};
    };

private Q_SLOTS:
    // QThreadPool lost it: what awaited it waited for ever.
    void workThatGetsNoThreadIsDoneLater()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer needs all of the address space");
#endif
        int done = 0;
        {
            const WithoutThreads now;
            m_loop.offload([] {}, [&done] { ++done; });
            m_loop.offload([] {}, [&done] { ++done; });
            QTest::qWait(300); // it is tried again meanwhile
            QCOMPARE(done, 0);
        }
        QTRY_COMPARE_WITH_TIMEOUT(done, 2, 30'000);
    }

    void workDoesNotWaitForOtherWork()
    {
        constexpr int Count = 50;
        std::atomic<int> arrived = 0;
        int done = 0;
        for (int i = 0; i < Count; ++i) {
            m_loop.offload(
                [&arrived] {
                    ++arrived;
                    while (arrived < Count) // until all run at a time
                        std::this_thread::yield();
                },
                [&done] { ++done; });
        }
        QTRY_COMPARE_WITH_TIMEOUT(done, Count, 30'000);
        m_loop.offload([] {}, [&done] { ++done; });
        QTRY_COMPARE_WITH_TIMEOUT(done, Count + 1, 30'000);
    }
};

QTEST_GUILESS_MAIN(QtLoopTest)
#include "qt_loop_test.moc"
