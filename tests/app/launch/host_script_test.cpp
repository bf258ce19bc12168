#include "app/launch/host_script.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include <fcntl.h>
#include <sys/file.h>
#include <toml++/toml.h>
#include <unistd.h>

using namespace drover;

namespace {

// What `drover worker` and `drover config check` do, as far as the script sees it.
constexpr char Program[] = R"sh(#!/bin/sh
case "$1 $2" in
"config check")
    ! grep wrong "$5" >&2
    ;;
worker*)
    echo "drover: worker one: queues default" >&2
    exec sleep 600
    ;;
esac
)sh";

} // namespace

// The script of a host, run by the sh of this machine.
class HostScriptTest : public QObject
{
    Q_OBJECT

    const QString m_release = QStringLiteral("1.0.0-0123456789ab");
    std::optional<QTemporaryDir> m_home;
    app::LaunchHost m_host;

    QString path(const QString &name) const { return m_home->filePath(name); }

    static void write(const QString &file, const QByteArray &text)
    {
        QDir().mkpath(QFileInfo(file).path());
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly | QIODevice::Truncate) && out.write(text) == text.size());
        out.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }

    static QByteArray read(const QString &file)
    {
        QFile in(file);
        return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
    }

    app::HostScript script() const { return {m_host, m_release, "main"}; }

    // The last line, as `drover launch` reads it.
    QByteArray run(const QByteArray &text, const QByteArray &input = {}, const QString &searchPath = {}) const
    {
        QProcess sh;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("HOME"), m_home->path());
        if (!searchPath.isEmpty())
            environment.insert(QStringLiteral("PATH"), searchPath);
        sh.setProcessEnvironment(environment);
        sh.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), QString::fromUtf8(text)});
        sh.write(input);
        sh.closeWriteChannel();
        if (!sh.waitForFinished(60'000))
            return "it does not end";
        return sh.readAllStandardOutput().trimmed().split('\n').last();
    }

    QByteArray archive() const
    {
        write(path(QStringLiteral("pack/drover")), Program);
        QProcess tar;
        tar.start(QStringLiteral("tar"),
                  {QStringLiteral("-czf"), QStringLiteral("-"), QStringLiteral("-C"), path(QStringLiteral("pack")),
                   QStringLiteral("drover")});
        return tar.waitForFinished() ? tar.readAllStandardOutput() : QByteArray();
    }

    void install() const { QCOMPARE(run(script().install(), archive()), QByteArray("installed")); }

private Q_SLOTS:
    void init()
    {
        m_home.emplace();
        m_host = app::LaunchHost();
        m_host.name = QStringLiteral("one");
        m_host.prefix = QStringLiteral("it's a \"folder\" \\ $(exit)");
        m_host.connect = QStringLiteral("zk1:2181");
        m_host.credentials = "secret";
        m_host.workerFile = "id = 'one'\n";
    }

    void cleanup() { QCOMPARE(run(script().stop(30)), QByteArray("stopped")); }

    void aHostileFolderIsQuoted()
    {
        m_host.connect = QStringLiteral("zk1:2181/a\"b\\c");
        install();
        const QByteArray started = run(script().start(30));
        QVERIFY2(started.startsWith("running "), started);
        const QString folder = path(m_host.prefix);
        const toml::table config = toml::parse(read(folder + QStringLiteral("/config.toml")).toStdString());
        QCOMPARE(QString::fromStdString(config["credentials"].value_or(std::string())),
                 folder + QStringLiteral("/credentials"));
        QCOMPARE(config["connect"].value_or(std::string()), m_host.connect.toStdString());
        QVERIFY2(run(script().look()).startsWith("state "), run(script().look())); // it knows its own folder again
    }

    void aFolderOfAnEarlierVersionIsKnown()
    {
        install();
        write(path(m_host.prefix) + QStringLiteral("/worker.toml"), "id = \"one\"\n");
        write(path(m_host.prefix) + QStringLiteral("/config.toml"), "connect = \"zk1\"\ncluster = \"other\"\n");
        QVERIFY2(run(script().look()).contains("of cluster other"), run(script().look()));
        write(path(m_host.prefix) + QStringLiteral("/config.toml"), "connect = \"zk1\"\ncluster = \"main\"\n");
    }

    void aLookComparesTheSettingsWithTheWorkers()
    {
        install();
        QVERIFY2(run(script().look()).endsWith(" unknown"), run(script().look())); // no worker runs
        QVERIFY(run(script().start(30)).startsWith("running "));
        QVERIFY2(run(script().look()).endsWith(" same"), run(script().look()));
        m_host.credentials = "renewed"; // by the worker itself, too
        QVERIFY2(run(script().look()).endsWith(" same"), run(script().look()));
        m_host.workerFile = "id = 'one'\nslots = 4\n";
        QVERIFY2(run(script().look()).endsWith(" other"), run(script().look()));
        QCOMPARE(run(script().prepare()), QByteArray("prepared")); // of a restart that went no further
        QVERIFY2(run(script().look()).endsWith(" other"), run(script().look()));
        m_host.workerFile = "id = 'one'\n";
        m_host.connect = QStringLiteral("zk2:2181");
        QVERIFY2(run(script().look()).endsWith(" other"), run(script().look()));
    }

    // It has no jobs, and cannot take the signal.
    void stopRecognisesAWorkerHaltedByASignal()
    {
        install();
        const QByteArray started = run(script().start(30));
        const int pid = started.split(' ').value(1).toInt();
        QVERIFY2(pid > 0 && ::kill(pid, SIGSTOP) == 0, started);
        const QByteArray halted = run(script().stop(1));
        ::kill(pid, SIGCONT);
        QVERIFY2(halted.contains("is stopped by a signal: continue it (kill -CONT"), halted);
    }

    void aLookDoesNotWaitForALauncher()
    {
        install();
        const QString lock = path(m_host.prefix) + QStringLiteral("/lock");
        const int held = ::open(QFile::encodeName(lock).constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        QVERIFY(held >= 0 && ::flock(held, LOCK_EX | LOCK_NB) == 0);
        const QByteArray looked = run(script().look());
        ::close(held);
        QVERIFY2(looked.startsWith("state " + m_release.toLatin1() + " yes"), looked);
    }

    void missingLibrariesAreNamed()
    {
        write(path(QStringLiteral("bin/ldd")), "#!/bin/sh\necho '    libQt6Core.so.6 => not found'\n");
        const QString searchPath = path(QStringLiteral("bin")) + QStringLiteral(":/usr/bin:/bin");
        const QByteArray refused = run(script().install(), archive(), searchPath);
        QVERIFY2(refused.startsWith("failed libraries are missing: libQt6Core.so.6 "), refused);
        QVERIFY(!QFile::exists(path(m_host.prefix) + QStringLiteral("/releases/") + m_release));
    }

    void installedProgramsAreThoseOfTheSearchPath()
    {
        m_host.programs = app::LaunchHost::Programs::Installed;
        QVERIFY2(run(script().look()).contains("drover is not installed here"), run(script().look()));
        write(path(QStringLiteral("bin/drover")), Program);
        const QString searchPath = path(QStringLiteral("bin")) + QStringLiteral(":/usr/bin:/bin");
        const QByteArray looked = run(script().look(), {}, searchPath);
        QVERIFY2(looked.startsWith("state installed-") && looked.contains(" yes - 0 "), looked);
        const QByteArray started = run(script().start(30), {}, searchPath);
        QVERIFY2(started.startsWith("running ") && started.endsWith(looked.split(' ')[1]), started);
        write(path(QStringLiteral("bin/drover")), QByteArray(Program) + "# newer\n"); // installed meanwhile
        const QByteArrayList newer = run(script().look(), {}, searchPath).split(' ');
        QVERIFY(newer[1] != looked.split(' ')[1]);
        QCOMPARE(newer[3], looked.split(' ')[1]); // what still runs
        QCOMPARE(run(script().stop(30), {}, searchPath), QByteArray("stopped"));
        m_host.programs = app::LaunchHost::Programs::Copied;
    }

    void releasesOfOthersStay()
    {
        const QString releases = path(m_host.prefix) + QStringLiteral("/releases/");
        write(releases + QStringLiteral("20240501/index.html"), "theirs");
        write(releases + QStringLiteral("0.9.0-ba9876543210/bin/drover"), Program);
        write(releases + QStringLiteral(".new.1/bin/drover"), Program);
        install();
        const QStringList left = QDir(releases).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
        QCOMPARE(left, QStringList({m_release, QStringLiteral("20240501")}));
        QCOMPARE(read(releases + QStringLiteral("20240501/index.html")), QByteArray("theirs"));
    }

    void aFolderHasOneWorker()
    {
        install();
        const QByteArray started = run(script().start(30));
        QVERIFY2(started.startsWith("running "), started);
        m_host.name = QStringLiteral("two");
        for (const QByteArray &text : {script().look(), script().start(30), script().stop(30)})
            QVERIFY2(run(text).contains("is the folder of worker one"), run(text));
        m_host.name = QStringLiteral("one");
        const QByteArray asked = run(app::HostScript(m_host, m_release, "staging").stop(30));
        QVERIFY2(asked.contains("of cluster main"), asked);
        QCOMPARE(run(script().start(30)), started);
        QCOMPARE(run(script().stop(30)), QByteArray("stopped"));
        m_host.name = QStringLiteral("two"); // which one has left
        QVERIFY2(run(script().look()).startsWith("state "), run(script().look()));
    }

    void aMissingToolIsNamed()
    {
        for (const char *const tool : {"tr", "mkdir", "sed"})
            QVERIFY(QFile::link(QStringLiteral("/bin/") + QLatin1String(tool), path(QLatin1String(tool))));
        const QByteArray answer = run(script().look(), {}, m_home->path());
        QVERIFY2(answer.contains("flock is missing"), answer);
    }
};

QTEST_GUILESS_MAIN(HostScriptTest)
#include "host_script_test.moc"
