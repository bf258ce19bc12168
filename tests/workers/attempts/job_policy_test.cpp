#include "workers/attempts/job_policy.h"

#include <QTest>

using namespace drover;
using namespace drover::workers;
using jobs::JobSpec;

// What a worker refuses by the job alone, whichever program has submitted it.
class JobPolicyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refusesByTheJobAlone_data();
    void refusesByTheJobAlone();
    void aDefaultUserIsThatOfJobsWithoutOne();
    void refusesVariablesThatLoadCode_data();
    void refusesVariablesThatLoadCode();
};

namespace {

JobSpec specOf(const QString &runAs, const QString &appendTo)
{
    JobSpec spec;
    spec.command = {QStringLiteral("true")};
    spec.runAs = runAs;
    spec.appendTo = appendTo;
    return spec;
}

} // namespace

void JobPolicyTest::refusesByTheJobAlone_data()
{
    QTest::addColumn<QString>("runAs");
    QTest::addColumn<QString>("appendTo");
    QTest::addColumn<QString>("why");
    QTest::newRow("as the worker's user") << QString() << QString() << QString();
    QTest::newRow("appends") << QString() << QStringLiteral("/out/file") << QString();
    QTest::newRow("appends elsewhere") << QString() << QStringLiteral("/etc/file")
                                       << QStringLiteral("does not allow the file '/etc/file'");
    QTest::newRow("as a user") << QStringLiteral("builder") << QString() << QString();
    QTest::newRow("as another user") << QStringLiteral("root") << QString()
                                     << QStringLiteral("does not allow jobs of user root");
    QTest::newRow("appends as a user") // the worker's user would append
        << QStringLiteral("builder") << QStringLiteral("/out/file")
        << QStringLiteral("a job with --run-as cannot append its output to a shared file");
}

void JobPolicyTest::refusesByTheJobAlone()
{
    QFETCH(QString, runAs);
    QFETCH(QString, appendTo);
    QFETCH(QString, why);
    const JobPolicy policy{.outputFolders = {QStringLiteral("/out")},
                           .users = {{.name = QStringLiteral("builder"), .home = {}}}};
    const QString refusal = policy.refusal(specOf(runAs, appendTo));
    QCOMPARE(refusal.isEmpty(), why.isEmpty());
    QVERIFY2(refusal.contains(why), qPrintable(refusal));
}

void JobPolicyTest::aDefaultUserIsThatOfJobsWithoutOne()
{
    JobPolicy policy{.users = {{.name = QStringLiteral("builder"), .home = {}}}, .mayRunAsWorker = false};
    QVERIFY(policy.refusal(specOf({}, {})).contains(QStringLiteral("--run-as")));
    policy.defaultUser = RunAsUser{.name = QStringLiteral("nightly"), .home = {}};
    QVERIFY(policy.refusal(specOf({}, {})).isEmpty());
    QCOMPARE(policy.userOf(specOf({}, {}))->name, QStringLiteral("nightly"));
    QCOMPARE(policy.userOf(specOf(QStringLiteral("builder"), {}))->name, QStringLiteral("builder"));
    QVERIFY(policy.refusal(specOf(QStringLiteral("nightly"), {})).contains(QStringLiteral("jobs of user nightly")));
    QVERIFY(policy.refusal(specOf({}, QStringLiteral("/out/file"))).contains(QStringLiteral("as user nightly")));
    policy.mayRunAsWorker = true;
    QVERIFY(!policy.runsAsWorker());
}

// Beside `programs` alone: otherwise a job may run anything.
void JobPolicyTest::refusesVariablesThatLoadCode_data()
{
    QTest::addColumn<bool>("loads");
    for (const char *const name :
         {"LD_PRELOAD",        "BASH_ENV",  "ENV",          "BASH_FUNC_ls%%", "PS4",           "SHELLOPTS",
          "PYTHONPATH",        "PERL5OPT",  "PERLLIB",      "RUBYLIB",        "GCONV_PATH",    "NODE_OPTIONS",
          "NODE_PATH",         "LUA_INIT",  "LUA_INIT_5_4", "LUA_CPATH",      "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS",
          "JAVA_TOOL_OPTIONS", "CLASSPATH", "ZDOTDIR"})
        QTest::newRow(name) << true;
    for (const char *const name :
         {"HOME", "PATH", "ENVIRONMENT", "MY_LD_FLAGS", "LANG", "PYTHONUNBUFFERED", "PYTHONIOENCODING", "NODE_ENV"})
        QTest::newRow(name) << false;
}

void JobPolicyTest::refusesVariablesThatLoadCode()
{
    QFETCH(bool, loads);
    const QString name = QString::fromLatin1(QTest::currentDataTag());
    const JobPolicy some{.programs = {QStringLiteral("/opt/bin")}, .secrets = {QStringLiteral("env:TOKEN")}};
    JobSpec spec = specOf({}, {});
    spec.environment[name] = QStringLiteral("/tmp/evil");
    QCOMPARE(some.refusal(spec).contains(name), loads);
    QVERIFY(JobPolicy{}.refusal(spec).isEmpty());
    JobSpec secret = specOf({}, {});
    secret.secrets[name] = QStringLiteral("env:TOKEN");
    QCOMPARE(some.refusal(secret).contains(name), loads);
}

QTEST_GUILESS_MAIN(JobPolicyTest)
#include "job_policy_test.moc"
