#include "workers/runner/cgroups.h"

#include <QDir>
#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace drover::runner;

// Where control groups are made, what is written there and how they are read: on plain files, since no machine has both
// versions with a controller of memory. Real groups, where there are some: runner_limits_test.
class CgroupsTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_directory;

    QString path(const QString &name) const { return m_directory->filePath(name); }
    std::string bytes(const char *name) const { return path(QLatin1String(name)).toStdString(); }

    void write(const QString &name, const QByteArray &text = {}) const
    {
        QVERIFY(QDir().mkpath(QFileInfo(path(name)).path()));
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(text), text.size());
    }
    QByteArray read(const char *name) const
    {
        QFile file(path(QLatin1String(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(no file)");
    }
    void makeFolder(const QString &name, int minutesAgo) const
    {
        QVERIFY(QDir().mkpath(path(name)));
        timeval then{};
        ::gettimeofday(&then, nullptr);
        then.tv_sec -= 60 * minutesAgo;
        const timeval times[] = {then, then};
        QCOMPARE(::utimes(path(name).toUtf8().constData(), times), 0);
    }
    // Where the leftovers of dead runners have been removed.
    QStringList swept() const
    {
        QStringList folders;
        for (const QString &folder : {QStringLiteral("fs"), QStringLiteral("fs/job"), QStringLiteral("fs/job/leaf")}) {
            if (!QFile::exists(path(folder) + QStringLiteral("/drover-old")))
                folders.append(folder);
        }
        return folders;
    }

    // A process that waits for its death in that group; 0 if there is none.
    static pid_t startedIn(const QString &group)
    {
        const pid_t process = ::fork();
        if (process == 0) {
            for (;;)
                ::pause();
        }
        QFile entrance(group + QStringLiteral("/cgroup.procs"));
        const QByteArray number = QByteArray::number(process);
        const bool isIn =
            entrance.open(QIODevice::WriteOnly | QIODevice::Unbuffered) && entrance.write(number) == number.size();
        if (isIn)
            return process;
        ::kill(process, SIGKILL);
        ::waitpid(process, nullptr, 0);
        return 0;
    }

private Q_SLOTS:
    void init()
    {
        m_directory = std::make_unique<QTemporaryDir>();
        for (const char *const folder : {"fs", "fs/job", "fs/job/leaf"})
            makeFolder(QLatin1String(folder) + QStringLiteral("/drover-old"), 2);
    }

    // Between the reading of the list and the signal.
    void aProcessWithAReusedPidIsSpared()
    {
        const pid_t stranger = ::fork();
        if (stranger == 0) {
            for (;;)
                ::pause();
        }
        int calls = 0;
        const auto changing = [&] { return ++calls == 1 ? std::vector<pid_t>{stranger} : std::vector<pid_t>(); };
        QVERIFY(killListed(changing)); // to be looked at again
        int status = 0;
        ::kill(stranger, SIGSTOP);
        QCOMPARE(::waitpid(stranger, &status, WUNTRACED), stranger);
        QVERIFY(WIFSTOPPED(status));
        QVERIFY(!killListed([] { return std::vector<pid_t>{0}; })); // of another namespace; our own group, for kill(2)
        QVERIFY(killListed([&] { return std::vector<pid_t>{stranger}; }));
        QCOMPARE(::waitpid(stranger, &status, 0), stranger);
        QVERIFY(WIFSIGNALED(status));
    }

    void theyAreMadeWhereItIsDelegated_data()
    {
        QTest::addColumn<QByteArray>("root");
        QTest::addColumn<QByteArray>("type"); // and options
        QTest::addColumn<QByteArray>("own");
        QTest::addColumn<QByteArray>("passedOn"); // by fs/job and fs
        QTest::addColumn<QString>("parent"); // empty: nowhere
        const QByteArray v2("cgroup2 none rw,nsdelegate");
        const QByteArray v1("cgroup none rw,hugetlb,memory");
        const QString job(QStringLiteral("fs/job"));
        QTest::newRow("beside a leaf") << QByteArray("/") << v2 << QByteArray("0::/job/leaf")
                                       << QByteArray("cpu memory pids\n") << job;
        QTest::newRow("memory alone") << QByteArray("/") << v2 << QByteArray("0::/job/leaf") << QByteArray("memory\n")
                                      << job;
        QTest::newRow("without memory") << QByteArray("/") << v2 << QByteArray("0::/job/leaf")
                                        << QByteArray("cpu hugememory memory2\n") << QString();
        QTest::newRow("nothing passed on")
            << QByteArray("/") << v2 << QByteArray("0::/job/leaf") << QByteArray("\n") << QString();
        QTest::newRow("in the root") << QByteArray("/") << v2 << QByteArray("0::/") << QByteArray("memory\n")
                                     << QString();
        QTest::newRow("of a part") << QByteArray("/user") << v2 << QByteArray("0::/user/job/leaf")
                                   << QByteArray("memory\n") << job;
        QTest::newRow("of another part") << QByteArray("/user") << v2 << QByteArray("0::/system/job/leaf")
                                         << QByteArray("memory\n") << QString();
        QTest::newRow("version 1, below")
            << QByteArray("/") << v1 << QByteArray("4:hugetlb,memory:/job\n0::/job/leaf") << QByteArray() << job;
        QTest::newRow("version 1, its root")
            << QByteArray("/job") << v1 << QByteArray("4:memory:/job") << QByteArray() << QStringLiteral("fs");
        QTest::newRow("version 1, other") << QByteArray("/") << QByteArray("cgroup none rw,cpu,hugememory")
                                          << QByteArray("4:cpu:/job") << QByteArray() << QString();
    }
    void theyAreMadeWhereItIsDelegated()
    {
        QFETCH(QByteArray, root);
        QFETCH(QByteArray, type);
        QFETCH(QByteArray, own);
        QFETCH(QByteArray, passedOn);
        QFETCH(QString, parent);
        write(QStringLiteral("self/mountinfo"),
              "22 1 0:20 / / rw,relatime - ext4 /dev/sda rw\n30 22 0:28 " + root + ' '
                  + path(QStringLiteral("fs")).toUtf8() + " rw,nosuid shared:4 master:5 - " + type + '\n');
        write(QStringLiteral("self/cgroup"), "9:name=systemd:/init\n" + own + '\n');
        for (const char *const folder : {"fs", "fs/job"})
            write(QLatin1String(folder) + QStringLiteral("/cgroup.subtree_control"), passedOn);
        const Cgroups groups(bytes("self"));
        QCOMPARE(swept(), parent.isEmpty() ? QStringList() : QStringList(parent));
        // None has a limit on plain files: one without is none, and goes.
        QVERIFY(!groups.make("job", 1024));
        for (const char *const folder : {"fs/drover-job", "fs/job/drover-job"})
            QVERIFY(!QFile::exists(path(QLatin1String(folder))));
    }

    void newAndForeignCgroupsStay()
    {
        write(QStringLiteral("self/mountinfo"),
              "30 22 0:28 / " + path(QStringLiteral("fs")).toUtf8() + " rw - cgroup2 none rw\n");
        write(QStringLiteral("self/cgroup"), "0::/job/leaf\n");
        write(QStringLiteral("fs/job/cgroup.subtree_control"), "memory\n");
        makeFolder(QStringLiteral("fs/job/drover-new"), 0);
        makeFolder(QStringLiteral("fs/job/other-old"), 2);
        const Cgroups groups(bytes("self"));
        QCOMPARE(QDir(path(QStringLiteral("fs/job"))).entryList(QDir::Dirs | QDir::NoDotAndDotDot),
                 (QStringList{QStringLiteral("drover-new"), QStringLiteral("leaf"), QStringLiteral("other-old")}));
    }

    // Really: app.commands.cluster.worker_options_test.
    void aProcessLimitThatCannotBeSetLeavesNothing()
    {
        const QStringList before = QDir(path(QStringLiteral("fs"))).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        const CgroupPlace place{.parent = bytes("fs"), .own = bytes("fs"), .unified = false};
        QVERIFY(!ProcessLimit(40, place).isSet()); // on plain files there is none
        QVERIFY(!ProcessLimit(40, CgroupPlace()).isSet());
        QVERIFY(!ProcessLimit(0).isSet());
        QCOMPARE(QDir(path(QStringLiteral("fs"))).entryList(QDir::Dirs | QDir::NoDotAndDotDot), before);
    }

    void limitsOfVersionTwo()
    {
        const Cgroup group(bytes("fs/job"), true);
        QVERIFY(!group.limit(4096));
        write(QStringLiteral("fs/job/memory.max"));
        QVERIFY(group.limit(4096)); // a kernel without swap has no more
        QCOMPARE(read("fs/job/memory.max"), QByteArray("4096"));
        write(QStringLiteral("fs/job/memory.swap.max"));
        write(QStringLiteral("fs/job/memory.oom.group"));
        QVERIFY(group.limit(4096));
        QCOMPARE(read("fs/job/memory.swap.max"), QByteArray("0"));
        QCOMPARE(read("fs/job/memory.oom.group"), QByteArray("1"));
    }

    void limitsOfVersionOne()
    {
        const Cgroup group(bytes("fs/job"), false);
        QVERIFY(!group.limit(4096));
        write(QStringLiteral("fs/job/memory.limit_in_bytes"));
        write(QStringLiteral("fs/job/memory.memsw.limit_in_bytes"));
        QVERIFY(group.limit(4096));
        QCOMPARE(read("fs/job/memory.limit_in_bytes"), QByteArray("4096"));
        QCOMPARE(read("fs/job/memory.memsw.limit_in_bytes"), QByteArray("4096"));
    }

    // Where the kernel can; the list would miss what forks meanwhile, and groups that the job has made below its own.
    void itsProcessesAreKilledAtOnce()
    {
        const pid_t stranger = ::fork();
        if (stranger == 0) {
            for (;;)
                ::pause();
        }
        const auto isKilled = [&] { return ::waitpid(stranger, nullptr, WNOHANG) == stranger; };
        write(QStringLiteral("fs/job/cgroup.procs"), QByteArray::number(stranger));
        write(QStringLiteral("fs/job/cgroup.kill"));
        write(QStringLiteral("fs/job/cgroup.events"), "populated 1\nfrozen 0\n");
        const Cgroup second(bytes("fs/job"), true);
        QVERIFY(second.kill());
        QCOMPARE(read("fs/job/cgroup.kill"), QByteArray("1"));
        QVERIFY(!isKilled()); // that is the kernel's work, and this is a plain file
        write(QStringLiteral("fs/job/cgroup.events"), "populated 0\nfrozen 0\n");
        QVERIFY(!second.kill());
        QVERIFY(QFile::remove(path(QStringLiteral("fs/job/cgroup.kill"))));
        QVERIFY(second.kill());
        QVERIFY(QTest::qWaitFor(isKilled, 60'000));
    }

    // Also in a group below it, which its list does not show.
    void aRealGroupDiesAtOnce()
    {
        const QString name = QStringLiteral("/drover-test-%1").arg(::getpid());
        QString real; // wherever version 2 is mounted
        for (const QString &mount : {QStringLiteral("/sys/fs/cgroup"), QStringLiteral("/sys/fs/cgroup/unified")}) {
            if (real.isEmpty() && QFile::exists(mount + QStringLiteral("/cgroup.controllers")))
                real = mount + name;
        }
        const QString below = real + QStringLiteral("/below");
        if (real.isEmpty() || !QDir().mkpath(below) || !QFile::exists(real + QStringLiteral("/cgroup.kill"))) {
            QDir().rmpath(below);
            QSKIP("no cgroup.kill here, or only root may make groups");
        }
        const Cgroup group(real.toStdString(), true);
        pid_t processes[] = {startedIn(real), startedIn(below)};
        const auto cleanUp = qScopeGuard([&] { // before the group goes
            for (const pid_t process : processes) {
                if (process > 0 && ::kill(process, SIGKILL) == 0)
                    ::waitpid(process, nullptr, 0);
            }
            QDir().rmdir(below);
        });
        QCOMPARE(group.processes(), std::vector<pid_t>{processes[0]});
        group.kill();
        for (pid_t &process : processes) {
            int status = 0;
            QVERIFY(QTest::qWaitFor([&] { return ::waitpid(process, &status, WNOHANG) == process; }, 10'000));
            process = 0;
            QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        }
        QTRY_VERIFY_WITH_TIMEOUT(!group.kill(), 60'000);
    }

    void itListsItsProcessesAndWhetherMemoryRanOut()
    {
        const Cgroup second(bytes("fs/job"), true);
        QVERIFY(second.processes().empty() && !second.ranOutOfMemory());
        write(QStringLiteral("fs/job/cgroup.procs"), "12\n345\n");
        QCOMPARE(second.entrance(), bytes("fs/job/cgroup.procs"));
        QCOMPARE(second.processes(), (std::vector<pid_t>{12, 345}));
        const QByteArray reached("low 0\nhigh 0\nmax 7\noom 1\n");
        write(QStringLiteral("fs/job/memory.events"), reached + "oom_kill 0\noom_group_kill 0\n");
        QVERIFY(!second.ranOutOfMemory());
        write(QStringLiteral("fs/job/memory.events"), reached + "oom_kill 2\noom_group_kill 1\n");
        QVERIFY(second.ranOutOfMemory());

        const Cgroup first(bytes("fs/job"), false);
        write(QStringLiteral("fs/job/memory.oom_control"), "oom_kill_disable 1\nunder_oom 1\noom_kill 0\n");
        QVERIFY(!first.ranOutOfMemory());
        write(QStringLiteral("fs/job/memory.oom_control"), "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
        QVERIFY(first.ranOutOfMemory());
    }

    void anEmptyOneGoesWithItsObject()
    {
        makeFolder(QStringLiteral("group"), 0);
        std::make_unique<Cgroup>(bytes("group"), true).reset();
        QVERIFY(!QFile::exists(path(QStringLiteral("group"))));
    }
};

QTEST_GUILESS_MAIN(CgroupsTest)
#include "cgroups_test.moc"
