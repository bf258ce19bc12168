#include "app/environment/service_manager.h"
#include "app/support/drover_on_server.h"
#include "async/qt_loop.h"
#include "posix/file_descriptor.h"

#include <QTest>

#include <cstddef>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

// What systemd reads: a datagram socket at a path, or at a name behind "@".
class Manager
{
public:
    explicit Manager(const QByteArray &name)
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, name.constData(), std::size_t(name.size()));
        if (name.startsWith('@'))
            address.sun_path[0] = '\0';
        const auto length = socklen_t(offsetof(sockaddr_un, sun_path) + std::size_t(name.size()));
        m_bound = ::bind(m_socket.get(), reinterpret_cast<const sockaddr *>(&address), length) == 0;
    }

    bool isBound() const { return m_bound; }

    // All datagrams so far.
    const QByteArrayList &heard()
    {
        char text[256];
        for (;;) {
            const ssize_t size = ::recv(m_socket.get(), text, sizeof text, MSG_DONTWAIT);
            if (size < 0)
                return m_heard;
            m_heard.append(QByteArray(text, size));
        }
    }

private:
    const posix::FileDescriptor m_socket{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    bool m_bound = false;
    QByteArrayList m_heard;
};

} // namespace

class ServiceManagerTest : public QObject
{
    Q_OBJECT

    async::QtLoop m_loop;
    QTemporaryDir m_directory;

    QByteArray path() const { return QFile::encodeName(m_directory.filePath(QStringLiteral("notify"))); }

private Q_SLOTS:
    void cleanup()
    {
        QFile::remove(QFile::decodeName(path()));
        for (const char *const name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"})
            qunsetenv(name);
    }

    void reportsGoToTheSocket_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("path") << path();
        QTest::newRow("abstract") << "@drover-test-" + QByteArray::number(QCoreApplication::applicationPid());
    }

    void reportsGoToTheSocket()
    {
        QFETCH(QByteArray, name);
        Manager manager(name);
        QVERIFY(manager.isBound());
        qputenv("NOTIFY_SOCKET", name);
        const app::ServiceManager service(m_loop);
        service.report("READY=1");
        QCOMPARE(manager.heard(), QByteArrayList{"READY=1"});
        QVERIFY(qgetenv("NOTIFY_SOCKET").isEmpty()); // or a child would report in our name
    }

    void withoutASocketNothingHappens()
    {
        for (const QByteArray &name : {QByteArray(), path(), QByteArray(200, 'x')}) {
            qputenv("NOTIFY_SOCKET", name);
            const app::ServiceManager service(m_loop);
            service.report("READY=1");
        }
    }

    void theLoopFeedsTheWatchdog()
    {
        Manager manager(path());
        qputenv("NOTIFY_SOCKET", path());
        qputenv("WATCHDOG_USEC", "100000");
        qputenv("WATCHDOG_PID", QByteArray::number(QCoreApplication::applicationPid()));
        const app::ServiceManager service(m_loop);
        QCOMPARE(manager.heard(), QByteArrayList{"WATCHDOG=1"});
        QTRY_VERIFY_WITH_TIMEOUT(manager.heard().size() >= 4, 30'000);
        QCOMPARE(manager.heard().count("WATCHDOG=1"), manager.heard().size());
    }

    void theWatchdogOfAnotherProcessIsNotFed()
    {
        Manager manager(path());
        qputenv("NOTIFY_SOCKET", path());
        qputenv("WATCHDOG_USEC", "1000");
        qputenv("WATCHDOG_PID", "1");
        const app::ServiceManager service(m_loop);
        QCOMPARE(manager.heard(), QByteArrayList());
    }

    // The real program. Its job sees no variable of the manager.
    void aWorkerReportsItsLife()
    {
        DroverOnServer cluster;
        cluster.start({"default"});
        Manager manager(path());
        cluster.drover.setVariable("NOTIFY_SOCKET", QFile::decodeName(path()));
        cluster.drover.setVariable("WATCHDOG_USEC", QStringLiteral("1000000"));
        const std::unique_ptr<QProcess> worker =
            cluster.drover.start(words("worker --slots 1 --grace 2m --max-grace 3m"));
        QTRY_VERIFY_WITH_TIMEOUT(manager.heard().contains("READY=1"), 60'000);
        QTRY_VERIFY_WITH_TIMEOUT(manager.heard().count("WATCHDOG=1") >= 3, 60'000);
        const Finished job = cluster.drover.run(words("run -- env"));
        QVERIFY2(job.exitCode == 0 && !job.out.contains("NOTIFY_SOCKET=/") && !job.out.contains("STOPPING"), job.out);
        QVERIFY(!manager.heard().contains("STOPPING=1"));
        worker->terminate();
        QCOMPARE(DroverProgram::finish(*worker).exitCode, 0);
        QTRY_VERIFY(manager.heard().contains("STOPPING=1"));
        QTRY_VERIFY(manager.heard().contains("EXTEND_TIMEOUT_USEC=315000000")); // both graces, and 15 s
        QCOMPARE(manager.heard().count("READY=1"), 1);
    }
};

QTEST_GUILESS_MAIN(ServiceManagerTest)
#include "service_manager_test.moc"
