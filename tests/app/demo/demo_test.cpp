#include "support/send_signal.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

// The real `drover demo`, with its server, workers and jobs.
class DemoTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void everyFileIsReportedOnceThoughTheMasterDies();
    void itsFilesAreKept();
    void itLastsAsLongAsItsConsole();
    void anInterruptLeavesNothing();
    void anEmptyDirectoryGetsOneLine();
    void theDemoOfTheConsoleWorksUntilItIsClosed();

private:
    QProcessEnvironment environment() const;
    std::unique_ptr<QProcess> start(const QStringList &arguments) const;
    void makeTexts(int count) const;
    bool leftNothing() const;

    std::unique_ptr<QTemporaryDir> m_directory;
    QString m_texts; // what is to be counted
    QString m_temporary; // where the demo makes its files
};

namespace {

constexpr int Limit = 200'000; // ms

// Whether some process has `text` among its arguments.
bool isMentioned(const QString &text)
{
    const QStringList pids = QDir(QStringLiteral("/proc")).entryList({QStringLiteral("[0-9]*")}, QDir::Dirs);
    for (const QString &pid : pids) {
        QFile commandLine(QStringLiteral("/proc/%1/cmdline").arg(pid));
        if (commandLine.open(QIODevice::ReadOnly) && commandLine.readAll().contains(QFile::encodeName(text)))
            return true;
    }
    return false;
}

// A child of `parent` that runs `program`; 0: there is none.
pid_t childOf(qint64 parent, const QByteArray &program)
{
    const auto contents = [](const QString &path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll().simplified() : QByteArray();
    };
    for (const QByteArray &child : contents(QStringLiteral("/proc/%1/task/%1/children").arg(parent)).split(' ')) {
        if (contents(QStringLiteral("/proc/%1/comm").arg(child.toInt())) == program)
            return pid_t(child.toInt());
    }
    return 0;
}

} // namespace

void DemoTest::init()
{
    m_directory = std::make_unique<QTemporaryDir>();
    m_texts = m_directory->filePath(QStringLiteral("texts"));
    m_temporary = m_directory->filePath(QStringLiteral("tmp"));
    QVERIFY(QDir().mkpath(m_texts) && QDir().mkpath(m_temporary));
}

QProcessEnvironment DemoTest::environment() const
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("TMPDIR"), m_temporary);
    for (const char *const name : {"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"}) // the console's
        environment.insert(QLatin1String(name), m_directory->path());
    return environment;
}

std::unique_ptr<QProcess> DemoTest::start(const QStringList &arguments) const
{
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(environment());
    process->start(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover"),
                   QStringList(QStringLiteral("demo")) + arguments);
    return process;
}

void DemoTest::makeTexts(int count) const
{
    for (int i = 0; i < count; ++i) {
        QFile file(QStringLiteral("%1/text-%2").arg(m_texts).arg(i));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray("some words\n").repeated(100 * i));
    }
}

bool DemoTest::leftNothing() const
{
    return QTest::qWaitFor([this] { return !isMentioned(m_temporary); }, Limit)
        && QDir(m_temporary).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
}

void DemoTest::everyFileIsReportedOnceThoughTheMasterDies()
{
    constexpr int files = 30;
    makeTexts(files);
    const auto demo = start({QStringLiteral("-o"), QStringLiteral("json"), m_texts});
    QVERIFY(demo->waitForFinished(Limit));
    const QByteArray story = demo->readAllStandardError();
    QVERIFY2(demo->exitStatus() == QProcess::NormalExit && demo->exitCode() == 0, story.constData());

    const QJsonObject result = QJsonDocument::fromJson(demo->readAllStandardOutput()).object();
    QCOMPARE(result.value(u"ok").toBool(), true);
    QCOMPARE(result.value(u"job_count").toInt(), files);
    QCOMPARE(result.value(u"worker_count").toInt(), 3);
    QCOMPARE(result.value(u"lost").toInt(-1), 0);
    QCOMPARE(result.value(u"repeated").toInt(-1), 0);
    QVERIFY(result.value(u"per_s").toDouble() > 0);
    QVERIFY(result.value(u"elapsed_ms").toDouble() > 0);
    // The kill has to have bitten.
    QVERIFY2(result.value(u"rerun").toInt() >= 1, story.constData());
    QCOMPARE(story.count("kill -9"), 1);
    QCOMPARE(story.count(" is master"), 2);
    QVERIFY(story.contains("<- holds the lock"));
    QVERIFY(story.contains("runs again: attempt 2"));
    QVERIFY(leftNothing());
}

void DemoTest::itsFilesAreKept()
{
    makeTexts(2);
    const auto demo = start({QStringLiteral("--workers"), QStringLiteral("2"), QStringLiteral("--keep"),
                             QStringLiteral("-o"), QStringLiteral("json"), m_texts});
    QVERIFY(demo->waitForFinished(Limit));
    const QByteArray story = demo->readAllStandardError();
    QVERIFY2(demo->exitCode() == 0, story.constData());
    QCOMPARE(QJsonDocument::fromJson(demo->readAllStandardOutput())[u"worker_count"].toInt(), 2);
    const QStringList kept = QDir(m_temporary).entryList(QDir::AllEntries | QDir::NoDotAndDotDot);
    QCOMPARE(kept.size(), 1);
    const QString folder = m_temporary + u'/' + kept.first();
    QVERIFY2(story.contains("ZooKeeper's data in " + QFile::encodeName(folder) + '\n'), story.constData());
    QVERIFY(QFile::exists(folder + QStringLiteral("/zookeeper/zoo.cfg")));
    QVERIFY(QTest::qWaitFor([this] { return !isMentioned(m_temporary); }, Limit));
}

void DemoTest::itLastsAsLongAsItsConsole()
{
    makeTexts(2);
    const auto demo = start({QStringLiteral("--workers"), QStringLiteral("2"), QStringLiteral("--console"), m_texts});
    QByteArray story;
    const auto isOver = [&] {
        story += demo->readAllStandardOutput();
        return story.contains("the demo ends when its window is closed");
    };
    QVERIFY2(QTest::qWaitFor(isOver, Limit), demo->readAllStandardError().constData());
    const pid_t console = childOf(demo->processId(), "drover-console");
    QVERIFY(console > 0);
    QCOMPARE(demo->state(), QProcess::Running);
    ::kill(console, SIGTERM);
    QVERIFY(demo->waitForFinished(Limit));
    QCOMPARE(demo->exitCode(), 0);
    QVERIFY(leftNothing());
}

void DemoTest::anInterruptLeavesNothing()
{
    const auto demo = start({});
    QByteArray story;
    const auto joined = [&] {
        story += demo->readAllStandardOutput();
        return story.contains("workers have joined");
    };
    QVERIFY2(QTest::qWaitFor(joined, Limit), demo->readAllStandardError().constData());
    QVERIFY(isMentioned(m_temporary));
    drover::test::sendSignal(*demo, SIGINT);
    QVERIFY(demo->waitForFinished(Limit));
    QCOMPARE(demo->exitCode(), 128 + SIGINT);
    QVERIFY(leftNothing());
}

void DemoTest::anEmptyDirectoryGetsOneLine()
{
    const auto demo = start({m_texts});
    QVERIFY(demo->waitForFinished(Limit));
    QCOMPARE(demo->exitCode(), 1);
    const QByteArray message = demo->readAllStandardError();
    QCOMPARE(message.count('\n'), 1);
    QVERIFY2(message.contains("holds no file"), message.constData());
    QVERIFY(leftNothing());
}

// Its cluster has jobs in every state. It is not the one that the environment names.
void DemoTest::theDemoOfTheConsoleWorksUntilItIsClosed()
{
    QProcess console;
    QProcessEnvironment variables = environment();
    variables.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    variables.insert(QStringLiteral("DROVER_CONNECT"), QStringLiteral("127.0.0.1:1")); // another cluster
    console.setProcessEnvironment(variables);
    console.start(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover-console"),
                  {QStringLiteral("--demo")});
    QVERIFY(console.waitForStarted());

    const auto own = [this] { return QDir(m_temporary).entryList(QDir::Dirs | QDir::NoDotAndDotDot).value(0); };
    QTRY_VERIFY_WITH_TIMEOUT(!own().isEmpty(), Limit);
    for (const char *const name : {"DATA_HOME", "STATE_HOME", "CONFIG_HOME", "RUNTIME_DIR"})
        variables.insert(QLatin1String("XDG_") + QLatin1String(name),
                         QStringLiteral("%1/%2/%3").arg(m_temporary, own(), QLatin1String(name)));
    variables.remove(QStringLiteral("DROVER_CONNECT"));
    const auto jobsIn = [&variables](const QString &state) {
        QProcess ls;
        ls.setProcessEnvironment(variables);
        ls.start(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover"),
                 {QStringLiteral("ls"), QStringLiteral("--all"), QStringLiteral("--state"), state, QStringLiteral("-o"),
                  QStringLiteral("json")});
        ls.waitForFinished(Limit);
        return QJsonDocument::fromJson(ls.readAllStandardOutput())[u"jobs"].toArray().size();
    };
    for (const char *const state : {"running", "waiting", "held", "succeeded", "failed"})
        QTRY_VERIFY2_WITH_TIMEOUT(jobsIn(QLatin1String(state)) > 0, state, Limit);

    const QDir recordings(variables.value(QStringLiteral("XDG_STATE_HOME")) + QStringLiteral("/drover/recordings"));
    QTRY_VERIFY_WITH_TIMEOUT(!recordings.entryList({QStringLiteral("*.sqlite")}).isEmpty(), Limit);

    drover::test::sendSignal(console, SIGTERM);
    QVERIFY(console.waitForFinished(Limit));
    QCOMPARE(console.exitCode(), 0);
    QVERIFY(leftNothing());
}

QTEST_GUILESS_MAIN(DemoTest)
#include "demo_test.moc"
