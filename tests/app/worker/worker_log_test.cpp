#include "app/worker/worker_log.h"
#include "async/qt_loop.h"
#include "posix/file_descriptor.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace drover;
using namespace std::chrono_literals;

namespace {

constexpr qint64 Limit = 1000;

} // namespace

// Standard error of this process is a file while a test runs.
class WorkerLogTest : public QObject
{
    Q_OBJECT

    async::QtLoop m_loop;
    std::optional<QTemporaryDir> m_directory;
    const posix::FileDescriptor m_ownError{::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10)};
    const posix::FileDescriptor m_ownOutput{::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10)};

    QString path(const char *name) const { return m_directory->filePath(QLatin1String(name)); }

    QByteArray read(const char *name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("there is none");
    }

    QStringList names() const { return QDir(m_directory->path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot); }

    static void say(const QByteArray &text) { std::fputs(text.constData(), stderr); }

    // More than the limit.
    static QByteArray page(char letter) { return QByteArray(Limit, letter) + '\n'; }

    void toTheEndOf(int descriptor) const
    {
        const QByteArray log = QFile::encodeName(path("log"));
        const posix::FileDescriptor file(::open(log.constData(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640));
        ::dup2(file.get(), descriptor);
    }

private Q_SLOTS:
    void init()
    {
        m_directory.emplace();
        toTheEndOf(STDERR_FILENO);
    }

    void cleanup()
    {
        ::dup2(m_ownError.get(), STDERR_FILENO);
        ::dup2(m_ownOutput.get(), STDOUT_FILENO);
    }

    void aFullFileIsBegunAnewAndOneOlderIsKept()
    {
        const app::WorkerLog log(m_loop, Limit, 1ms);
        say(page('a'));
        QTRY_COMPARE(read("log.1"), page('a'));
        say("short\n");
        QCOMPARE(read("log"), QByteArray("short\n"));
        say(page('b'));
        QTRY_COMPARE(read("log.1"), "short\n" + page('b'));
        say(page('c'));
        QTRY_COMPARE(read("log.1"), page('c'));
        QTRY_COMPARE(read("log"), QByteArray());
        QCOMPARE(names(), QStringList({QStringLiteral("log"), QStringLiteral("log.1")}));
        struct ::stat status {
        };
        QVERIFY(::fstat(STDERR_FILENO, &status) == 0);
        QCOMPARE(status.st_mode & ALLPERMS, mode_t(0640));
    }

    void standardOutputGoesAlong()
    {
        toTheEndOf(STDOUT_FILENO);
        say(page('a'));
        const app::WorkerLog log(m_loop, Limit, 1ms);
        const bool isThere = QTest::qWaitFor([this] { return read("log").isEmpty(); });
        const bool isWritten = ::write(STDOUT_FILENO, "output\n", 7) == 7;
        ::dup2(m_ownOutput.get(), STDOUT_FILENO); // QtTest writes there
        QVERIFY(isThere && isWritten);
        QCOMPARE(read("log"), QByteArray("output\n"));
    }

    // As logrotate does it. What is at the name then is not the worker's.
    void aFileThatWasRenamedIsLeftAlone()
    {
        const app::WorkerLog log(m_loop, Limit, 1ms);
        QVERIFY(QFile::rename(path("log"), path("log.of-another")));
        QFile others(path("log"));
        QVERIFY(others.open(QIODevice::WriteOnly) && others.write("theirs\n") == 7);
        others.close();
        say(page('a'));
        QTest::qWait(100);
        QCOMPARE(names(), QStringList({QStringLiteral("log"), QStringLiteral("log.of-another")}));
        QCOMPARE(read("log"), QByteArray("theirs\n"));
    }

    void withoutALimitItGrows()
    {
        const app::WorkerLog log(m_loop, 0, 1ms);
        say(page('a'));
        QTest::qWait(100);
        QCOMPARE(names(), QStringList({QStringLiteral("log")}));
    }

    void whatCannotBeRenamedIsSaidOnce()
    {
        QVERIFY(QDir().mkpath(path("log.1/full")));
        const app::WorkerLog log(m_loop, Limit, 1ms);
        say(page('a'));
        QTRY_VERIFY(read("log").contains("cannot be begun anew"));
        QTest::qWait(100);
        QCOMPARE(read("log").count("it grows on"), 1);
        QCOMPARE(names(), QStringList({QStringLiteral("log"), QStringLiteral("log.1")}));
        QVERIFY(QDir(path("log.1")).removeRecursively());
        QTRY_VERIFY(read("log.1").contains("it grows on")); // now it can
    }
};

QTEST_GUILESS_MAIN(WorkerLogTest)
#include "worker_log_test.moc"
