#include "app/support/drover_on_server.h"
#include "jobs/schedules/schedules.h"
#include "support/await.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace drover;
using namespace drover::test;

// `drover cron` as a user types it, against a real server; at the end with a worker that is master.
class CronTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;

    Finished cron(const QStringList &arguments, const QStringList &command = {})
    {
        QStringList all = QStringList{QStringLiteral("cron")} + arguments;
        if (!command.isEmpty())
            all += QStringList{QStringLiteral("--")} + command;
        return m_cluster.drover.run(all);
    }
    Finished cron(const char *words) { return cron(QString::fromLatin1(words).split(u' ')); }
    Finished add(const QString &name, const QString &expression, const QStringList &options = {})
    {
        return cron(QStringList{QStringLiteral("add"), name, expression} + options, {QStringLiteral("true")});
    }
    QJsonObject show(const char *name)
    {
        return QJsonDocument::fromJson(cron(QStringList{QStringLiteral("show"), QString::fromLatin1(name),
                                                        QStringLiteral("-o"), QStringLiteral("json")})
                                           .out)
            .object();
    }
    static void accepted(const Finished &finished) { QVERIFY2(finished.exitCode == 0, finished.err); }
    static void refused(const Finished &finished, int exitCode, const char *message)
    {
        QCOMPARE(finished.exitCode, exitCode);
        QVERIFY2(finished.complainsOnce() && finished.err.contains(message), finished.err);
        QVERIFY(finished.out.isEmpty());
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({QByteArrayLiteral("default"), QByteArrayLiteral("quiet")}); }

    void aCommentIsKeptForEachTick()
    {
        accepted(add(QStringLiteral("commented"), QStringLiteral("@yearly"),
                     {QStringLiteral("--comment"), QStringLiteral("for the audit")}));
        QCOMPARE(show("commented").value(QStringLiteral("comment")).toString(), QStringLiteral("for the audit"));
        const jobs::StoredSchedule stored =
            await(jobs::findSchedule(jobs::Cluster(m_cluster.zk(), m_cluster.layout), QByteArrayLiteral("commented")));
        QCOMPARE(stored.entry.value().jobAt("commented", std::chrono::milliseconds(1)).comment,
                 QStringLiteral("for the audit"));
        accepted(cron("rm commented"));
    }

    void aDryRunShowsTheNextTimesAndAddsNothing()
    {
        const Finished shown =
            add(QStringLiteral("tried"), QStringLiteral("30 2 1 1 *"), {QStringLiteral("--dry-run")});
        accepted(shown);
        QCOMPARE(shown.out.count('\n'), 5);
        QCOMPARE(shown.out.count("-01-01T02:30:00"), 5);
        refused(cron("show tried"), 3, "tried");
        refused(add(QStringLiteral("tried"), QStringLiteral("30 25 * * *"), {QStringLiteral("--dry-run")}), 2, "");
    }

    void addedShownListedAndRemoved()
    {
        const Finished added = cron({QStringLiteral("add"), QStringLiteral("nightly"), QStringLiteral("30 2 29 2 *"),
                                     QStringLiteral("--zone"), QStringLiteral("Asia/Kolkata"),
                                     QStringLiteral("--catch-up"), QStringLiteral("none"), QStringLiteral("--overlap"),
                                     QStringLiteral("skip"), QStringLiteral("--queue"), QStringLiteral("quiet"),
                                     QStringLiteral("--priority"), QStringLiteral("7")},
                                    {QStringLiteral("make"), QStringLiteral("-C"), QStringLiteral("/srv")});
        accepted(added);
        QVERIFY2(added.out.endsWith("-02-29T02:30:00+05:30\n"), added.out);
        refused(add(QStringLiteral("nightly"), QStringLiteral("@daily")), 4, "there is a schedule nightly already");

        const QJsonObject json = show("nightly");
        QCOMPARE(json.value(u"cron"_qs).toString(), u"30 2 29 2 *"_qs);
        QCOMPARE(json.value(u"zone"_qs).toString(), u"Asia/Kolkata"_qs);
        QCOMPARE(json.value(u"catch_up"_qs).toString(), u"none"_qs);
        QCOMPARE(json.value(u"overlap"_qs).toString(), u"skip"_qs);
        QCOMPARE(json.value(u"queue"_qs).toString(), u"quiet"_qs);
        QCOMPARE(json.value(u"priority"_qs).toInt(), 7);
        QCOMPARE(json.value(u"command"_qs).toArray().size(), 3);
        QCOMPARE(json.value(u"next"_qs).toArray().size(), 5);
        QVERIFY(json.value(u"next"_qs).toArray()[4].toString().endsWith(u"-02-28T21:00:00.000Z"));
        const Finished table = cron("show nightly");
        QVERIFY2(table.out.contains("time zone") && table.out.count("-02-29T02:30:00+05:30") == 5, table.out);
        const Finished listed = cron("ls");
        QVERIFY2(listed.out.contains("nightly") && listed.out.contains("make -C /srv"), listed.out);

        accepted(cron("rm nightly"));
        refused(cron("rm nightly"), 3, "there is no schedule nightly in cluster default");
        refused(cron("show nightly"), 3, "there is no schedule nightly");
    }

    void aReplacedScheduleKeepsItsProgress()
    {
        const auto replace = [&](const QString &when, const QStringList &command) {
            return cron({u"add"_qs, u"evolving"_qs, when, u"--replace"_qs, u"--queue"_qs, u"quiet"_qs}, command);
        };
        accepted(replace(u"0 3 1 1 *"_qs, {u"make"_qs})); // there was none
        accepted(cron("pause evolving"));
        const zk::Path path = m_cluster.layout.schedule("evolving");
        QJsonObject stored = m_cluster.json(path);
        stored.insert(u"run_ms"_qs, qint64(1'700'000'000'000));
        stored.insert(u"last_ms"_qs, qint64(1'700'000'000'000));
        stored.insert(u"job"_qs, u"quiet-7"_qs);
        m_cluster.write(path, QJsonDocument(stored).toJson(QJsonDocument::Compact));

        accepted(replace(u"0 3 1 1 *"_qs, {u"make"_qs, u"all"_qs}));
        QJsonObject replaced = m_cluster.json(path);
        QCOMPARE(show("evolving").value(u"command"_qs).toArray().size(), 2);
        QCOMPARE(replaced.value(u"paused"_qs).toBool(), true);
        QCOMPARE(replaced.value(u"job"_qs).toString(), u"quiet-7"_qs);
        QCOMPARE(replaced.value(u"run_ms"_qs).toInteger(), 1'700'000'000'000);
        QCOMPARE(replaced.value(u"last_ms"_qs).toInteger(), 1'700'000'000'000); // what is due is still run

        const Finished told = m_cluster.drover.shell("script -qec 'drover cron add evolving \"0 3 1 1 *\" --replace "
                                                     "--queue quiet -- make all' /dev/null");
        QVERIFY2(told.exitCode == 0, told.out);
        QVERIFY2(told.out.contains("schedule evolving is still paused; drover cron resume evolving"), told.out);

        accepted(replace(u"0 4 1 1 *"_qs, {u"make"_qs})); // other times begin now: nothing is made up for
        replaced = m_cluster.json(path);
        QCOMPARE(replaced.value(u"run_ms"_qs).toInteger(), 1'700'000'000'000);
        QVERIFY(replaced.value(u"last_ms"_qs).toInteger() > 1'700'000'000'000);
        QCOMPARE(show("evolving").value(u"cron"_qs).toString(), u"0 4 1 1 *"_qs);
        refused(add(u"evolving"_qs, u"@daily"_qs), 4, "drover cron add --replace changes it");
        accepted(cron("rm evolving"));
    }

    // What the master, if there is one, tells its log alone.
    void aScheduleThatCannotSubmitSaysWhy()
    {
        accepted(add(u"well"_qs, u"@every 1s"_qs, {u"--queue"_qs, u"quiet"_qs}));
        QVERIFY(!show("well").contains(u"trouble"_qs)); // it was due a moment ago, if at all
        accepted(cron("rm well"));
        accepted(add(u"homeless"_qs, u"@yearly"_qs, {u"--queue"_qs, u"default"_qs}));
        QVERIFY(!show("homeless").contains(u"trouble"_qs));
        m_cluster.remove(m_cluster.layout.queue("default"));
        QCOMPARE(show("homeless").value(u"trouble"_qs).toString(), u"there is no queue default to submit to"_qs);
        const Finished doctor = m_cluster.drover.run({u"doctor"_qs, u"-o"_qs, u"json"_qs});
        QVERIFY2(doctor.out.contains("schedule homeless") && doctor.out.contains("there is no queue default"),
                 doctor.out);
        m_cluster.write(m_cluster.layout.queue("default"), {});
        accepted(cron("rm homeless"));
    }

    // Due for long: an entry whose last tick is an hour ago.
    void aScheduleThatIsLateSaysWhy()
    {
        accepted(add(u"late"_qs, u"@every 1m"_qs));
        const jobs::StoredSchedule stored =
            await(jobs::findSchedule(jobs::Cluster(m_cluster.zk(), m_cluster.layout), QByteArrayLiteral("late")));
        jobs::ScheduleEntry entry = *stored.entry;
        entry.lastTick -= std::chrono::hours(1);
        m_cluster.write(m_cluster.layout.schedule("late"), entry.encode());
        const QString trouble = show("late").value(u"trouble"_qs).toString();
        QVERIFY2(trouble.startsWith(u"due since ") && trouble.contains(u"no worker is master"), qPrintable(trouble));
        const Finished table = cron("show late");
        QVERIFY2(table.out.contains("trouble") && table.out.contains("no worker is master"), table.out);
        jobs::ClusterConfig config;
        config.queueLimit = 1;
        const Finished job = m_cluster.drover.run({u"submit"_qs, u"--"_qs, u"true"_qs});
        accepted(job);
        m_cluster.write(m_cluster.layout.config(), config.encode());
        const QString full = show("late").value(u"trouble"_qs).toString();
        QVERIFY2(full.contains(u"queue default holds 1 unfinished job, its limit"), qPrintable(full));
        m_cluster.write(m_cluster.layout.config(), jobs::ClusterConfig().encode());
        accepted(m_cluster.drover.run({u"cancel"_qs, QString::fromUtf8(job.out.trimmed())}));
        accepted(cron("pause late"));
        QVERIFY(!show("late").contains(u"trouble"_qs));
        accepted(cron("rm late"));
    }

    void pausedResumedAndRunByHand()
    {
        accepted(add(QStringLiteral("leap"), QStringLiteral("@yearly"),
                     {QStringLiteral("--queue"), QStringLiteral("quiet")}));
        accepted(cron("pause leap"));
        QCOMPARE(show("leap").value(u"state"_qs).toString(), u"paused"_qs);
        QVERIFY(show("leap").value(u"next"_qs).toArray().isEmpty());
        const Finished ran = cron("run leap -o json");
        QVERIFY2(ran.err.isEmpty(), ran.err);
        QCOMPARE(json(ran).value(u"id"_qs).toString(), u"quiet-0"_qs);
        QCOMPARE(m_cluster.children(m_cluster.layout.queue("quiet")).size(), 1);
        accepted(cron("resume leap"));
        QCOMPARE(show("leap").value(u"state"_qs).toString(), u"active"_qs);
        QCOMPARE(show("leap").value(u"next"_qs).toArray().size(), 5);
        for (const char *const verb : {"pause missing", "resume missing", "run missing"})
            refused(cron(verb), 3, "there is no schedule missing");
        accepted(cron("rm leap"));
    }

    void refusedInOneLine_data()
    {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char *name, const char *expression, const QStringList &options, int exitCode,
                            const char *message) {
            QTest::newRow(name) << QString::fromUtf8(expression) << options << exitCode << QByteArray(message);
        };
        row("a field", "60 * * * *", {}, 2, "field 1 (minute): \"60\" is not 0 to 59");
        row("a date", "0 0 30 2 *", {}, 2, "no year has a date");
        row("the zone", "@daily", {u"--zone"_qs, u"europe/berlin"_qs}, 2, "did you mean Europe/Berlin?");
        row("catch-up", "@daily", {u"--catch-up"_qs, u"some"_qs}, 2,
            "--catch-up: \"some\" must be one of none, one, all");
        row("overlap", "@daily", {u"--overlap"_qs, u"kill"_qs}, 2, "--overlap");
        row("both", "@daily", {u"--overlap"_qs, u"skip"_qs, u"--catch-up"_qs, u"all"_qs}, 2, "overlap");
        row("the queue", "@daily", {u"--queue"_qs, u"nowhere"_qs}, 3, "there is no queue \"nowhere\"");
        row("the priority", "@daily", {u"--priority"_qs, u"10"_qs}, 2, "--priority");
        row("a key", "@daily", {u"--dedupe"_qs, u"k"_qs}, 2, "--overlap");
        row("a delay", "@daily", {u"--delay"_qs, u"1h"_qs}, 2, "--delay");
        row("a dependency", "@daily", {u"--after-ok"_qs, u"default-9999"_qs}, 3, "default-9999");
    }
    void refusedInOneLine()
    {
        QFETCH(QString, expression);
        QFETCH(QStringList, options);
        QFETCH(int, exitCode);
        QFETCH(QByteArray, message);
        refused(add(QStringLiteral("bad"), expression, options), exitCode, message);
        QVERIFY(!m_cluster.children(m_cluster.layout.schedules()).contains("bad"));
    }

    void invalidNamesAndVerbsAreRefused()
    {
        refused(add(QStringLiteral("../x"), QStringLiteral("@daily")), 2, "no schedule can be called");
        refused(cron("add x"), 2, "too few arguments");
        refused(cron("add x @daily"), 2, "there is no command");
        refused(cron("frob"), 2, "there is drover cron add");
    }

    void malformedOnesAreShownAsThat()
    {
        accepted(add(QStringLiteral("good"), QStringLiteral("@yearly")));
        m_cluster.write(m_cluster.layout.schedule("bad"), "{\"v\":1,\"cron\":\"@dayly\"}");
        const Finished listed = cron("ls");
        accepted(listed);
        QVERIFY2(listed.out.contains("malformed") && listed.out.contains("good"), listed.out);
        QVERIFY(cron("show bad").out.contains("@dayly"));
        refused(cron("pause bad"), 4, "drover cron rm bad");
        accepted(cron("rm bad"));
        accepted(cron("rm good"));
    }

    void aMasterSubmitsThem()
    {
        accepted(add(QStringLiteral("tick"), QStringLiteral("@every 1s")));
        const std::unique_ptr<QProcess> worker = m_cluster.drover.start({QStringLiteral("worker")});
        QTRY_VERIFY_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.done()).size() >= 2, 60'000);
        QTRY_VERIFY_WITH_TIMEOUT(!show("tick").value(u"last_job"_qs).toString().isEmpty(), 60'000);
        accepted(cron("rm tick"));
        worker->terminate();
        QCOMPARE(DroverProgram::finish(*worker).exitCode, 0);
    }
};

QTEST_GUILESS_MAIN(CronTest)
#include "cron_test.moc"
