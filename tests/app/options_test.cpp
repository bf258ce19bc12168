#include "app/support/drover_on_server.h"
#include "app/support/reserved_port.h"
#include "support/send_signal.h"

#include <QJsonArray>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;

// Options of commands that no other test gives to the real program. A real worker serves "default"; "other" has none.
class OptionsTest : public QObject
{
    Q_OBJECT

    static constexpr int Limit = 60'000; // ms

    DroverOnServer m_cluster;
    DroverProgram &m_drover = m_cluster.drover;
    std::unique_ptr<QProcess> m_worker;

    Finished run(const QString &command, const QStringList &more = {}) const
    {
        return m_drover.run(words(command) + more);
    }
    QString submit(const QString &options, const char *command) const
    {
        const Finished finished = run(QStringLiteral("submit ") + options + u' ' + QLatin1String(command));
        if (finished.exitCode != 0)
            qWarning("submit: %s", finished.err.constData());
        return QString::fromUtf8(finished.out.trimmed());
    }
    QJsonObject show(const QString &id) const { return json(run(QStringLiteral("show -o json"), {id})); }
    // What tells two jobs apart that were submitted in the same way.
    QJsonObject described(const QString &id) const
    {
        QJsonObject job = show(id);
        for (const char *const key : {"id", "submitted_at", "since"})
            job.remove(QLatin1String(key));
        return job;
    }
    QString newestHeld() const
    {
        const QJsonArray held = json(run(QStringLiteral("ls --state held -o json")))[u"jobs"].toArray();
        QString newest;
        for (const QJsonValue job : held) {
            const QString id = job[u"id"].toString();
            if (newest.isEmpty() || id.section(u'-', -1).toInt() > newest.section(u'-', -1).toInt())
                newest = id;
        }
        return newest;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({"default", "other"});
        m_worker = m_drover.start(words("worker --slots 4 --host-pids --grace 1s"));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, Limit);
    }
    void cleanupTestCase()
    {
        m_worker->terminate();
        QCOMPARE(DroverProgram::finish(*m_worker).exitCode, 0);
    }

    void everyFilterOfEveryVerb_data()
    {
        QTest::addColumn<QString>("verb");
        QTest::addColumn<QString>("last"); // what comes after the filters
        QTest::addColumn<QString>("options"); // by which a job gets into its state
        QTest::addColumn<QString>("state");
        QTest::addColumn<int>("exitCode");
        const auto row = [](const char *verb, const char *last, const char *options, const char *state, int code = 0) {
            QTest::newRow(verb) << QString::fromLatin1(verb) << QString::fromLatin1(last)
                                << QString::fromLatin1(options) << QString::fromLatin1(state) << code;
        };
        row("hold", "", "--delay 1h", "waiting");
        row("release", "", "--hold", "held");
        row("priority 2", "", "--hold", "held");
        row("move", "other", "--hold", "held");
        row("cancel", "", "--hold", "held");
        row("wait --timeout 10ms", "", "--hold", "held", 124);
        row("signal CONT", "", "", "running");
        row("requeue", "", "", "running");
    }
    void everyFilterOfEveryVerb()
    {
        QFETCH(QString, verb);
        QFETCH(QString, last);
        QFETCH(QString, options);
        QFETCH(QString, state);
        QFETCH(int, exitCode);
        const QString name = verb.section(u' ', 0, 0);
        const QString common =
            QStringLiteral("--tag tag-%1 ").arg(name) + (options.isEmpty() ? u"--retries 0"_qs : options);
        const QString id = submit(QStringLiteral("--name job-%1 ").arg(name) + common, "-- sleep 1000");
        const QString other = submit(QStringLiteral("--name other-%1 ").arg(name) + common, "-- sleep 1000");
        QTRY_COMPARE_WITH_TIMEOUT(show(id)[u"state"].toString(), state, Limit);
        QTRY_COMPARE_WITH_TIMEOUT(show(other)[u"state"].toString(), state, Limit);

        const QList<QPair<QString, QString>> filters{{u"--queue"_qs, u"default"_qs},
                                                     {u"--name"_qs, u"job-"_qs + name},
                                                     {u"--tag"_qs, u"tag-"_qs + name},
                                                     {u"--state"_qs, state},
                                                     {u"--submitter"_qs, show(id)[u"submitter"].toString()}};
        const auto with = [&](qsizetype wrong) {
            QStringList arguments;
            for (qsizetype i = 0; i < filters.size(); ++i) {
                const QString otherwise = filters[i].first == u"--queue"_qs ? u"other"_qs
                    : filters[i].first == u"--state"_qs                     ? u"ready"_qs
                                                                            : u"missing"_qs;
                arguments += {filters[i].first, i == wrong ? otherwise : filters[i].second};
            }
            return run(verb, arguments + (last.isEmpty() ? QStringList() : QStringList(last)));
        };
        for (qsizetype wrong = 0; wrong < filters.size(); ++wrong) {
            const Finished none = with(wrong);
            QVERIFY2(none.exitCode == 3 && none.complainsOnce(), filters[wrong].first.toUtf8() + ": " + none.err);
        }
        const QJsonObject untouched = show(other);
        const Finished one = with(-1);
        QVERIFY2(one.exitCode == exitCode, one.err);
        QVERIFY2(one.out.contains(id.toUtf8()) || exitCode == 124, one.out);
        QVERIFY(!one.out.contains(other.toUtf8()));
        QCOMPARE(show(other), untouched);
        run(u"cancel"_qs, {u"--tag"_qs, u"tag-"_qs + name});
    }

    // run and cron make of them what submit does, whose options submit_test knows one by one.
    void runAndCronTakeTheOptionsOfSubmit()
    {
        const QStringList options = words(
            "--name n --queue default --priority 2 --tag a --env A=1 --dir / --append-to shared --stdout o/%j "
            "--stderr e --ulimit nofile=64 --output-limit 1K --time-limit 3s --grace 1s --max-attempts 7 --retries 4 "
            "--retry-on 1,137 --backoff 2s --backoff-max 1m --slots 3 --memory 2G --label gpu --lock l1 "
            "--lock-shared s --limit db --input /dev/null --hold");
        const QStringList command = words("-- sleep 1");
        const QString submitted = QString::fromUtf8(run(u"submit"_qs, options + command).out.trimmed());
        QCOMPARE(show(submitted)[u"state"].toString(), u"held"_qs);

        const std::unique_ptr<QProcess> running = m_drover.start(words("run") + options + command);
        QTRY_VERIFY_WITH_TIMEOUT(newestHeld() != submitted, Limit);
        QCOMPARE(described(newestHeld()), described(submitted));
        sendSignal(*running, SIGINT);
        QCOMPARE(DroverProgram::finish(*running).exitCode, 128 + SIGINT);

        QStringList recurring = options;
        recurring.removeAll(u"--hold"_qs); // a held job of a schedule would wait for ever
        const Finished added = run(u"cron add same @yearly"_qs, recurring + command);
        QVERIFY2(added.exitCode == 0, added.err);
        const Finished ticked = run(u"cron run same"_qs);
        QVERIFY2(ticked.exitCode == 0, ticked.err);
        const QJsonObject job = described(QString::fromUtf8(ticked.out.trimmed()));
        QJsonObject model = described(submitted);
        QJsonObject file = model.take(u"job"_qs).toObject();
        file.remove(u"hold"_qs);
        QCOMPARE(job[u"job"].toObject(), file);
        for (const QString &key : model.keys()) {
            if (key != u"state" && key != u"held_by")
                QVERIFY2(job[key] == model[key], qPrintable(key));
        }
        run(u"cancel"_qs, {u"--name"_qs, u"n"_qs});
    }

    void jobsOfAWorkerWithHostPidsSeeTheMachine()
    {
        const Finished job = run(u"run -- readlink /proc/self/ns/pid"_qs);
        QVERIFY2(job.exitCode == 0, job.err);
        char ours[64] = {};
        QVERIFY(::readlink("/proc/self/ns/pid", ours, sizeof ours - 1) > 0);
        QCOMPARE(job.out.trimmed(), QByteArray(ours));
    }

    void drainSaysWhy()
    {
        const QString worker = json(run(u"worker ls -o json"_qs))[u"workers"][0][u"worker"].toString();
        QCOMPARE(run(u"worker drain --why repairs"_qs, {worker}).exitCode, 0);
        QCOMPARE(json(run(u"worker show -o json"_qs, {worker}))[u"cordoned_why"].toString(), u"repairs"_qs);
        QCOMPARE(run(u"worker uncordon"_qs, {worker}).exitCode, 0);
    }

    void treeAndItsChanges()
    {
        m_cluster.write(zk::Path("/forest"), "x");
        m_cluster.write(zk::Path("/forest/oak"), {});
        m_cluster.write(zk::Path("/forest/oak/leaf"), {});
        QVERIFY(run(u"tree /forest"_qs).out.contains("leaf"));
        const Finished shallow = run(u"tree /forest --depth 1"_qs);
        QVERIFY2(shallow.out.contains("oak  (1 below)") && !shallow.out.contains("leaf"), shallow.out);
        QVERIFY(!run(u"tree /forest --depth 0"_qs).out.contains("oak"));
        QCOMPARE(run(u"tree /forest --depth -1"_qs).exitCode, 2);

        const std::unique_ptr<QProcess> watch = m_drover.start(words("tree /forest --watch --depth 1"));
        QByteArray told;
        QVERIFY(waitForMessage(*watch, "watching", told));
        m_cluster.write(zk::Path("/forest/oak/twig"), {}); // too deep
        m_cluster.write(zk::Path("/forest/elm"), {});
        QByteArray seen;
        QVERIFY(waitForOutput(*watch, "+ /forest/elm\n", seen));
        m_cluster.write(zk::Path("/forest"), "y");
        QVERIFY(waitForOutput(*watch, "~ /forest\n", seen));
        m_cluster.remove(zk::Path("/forest/elm"));
        QVERIFY(waitForOutput(*watch, "- /forest/elm\n", seen));
        QVERIFY2(!seen.contains("twig"), seen);
        sendSignal(*watch, SIGINT);
        QCOMPARE(DroverProgram::finish(*watch).exitCode, 128 + SIGINT);
    }

    void eventsOfOneQueue()
    {
        const std::unique_ptr<QProcess> events = m_drover.start(words("events --follow --queue other -o jsonl"));
        QByteArray seen;
        QString last;
        const auto isTold = [&] { // it says nothing when it has begun to look
            run(u"submit -- true"_qs);
            last = submit(u"--queue other"_qs, "-- true");
            seen += events->readAllStandardOutput();
            return seen.contains("\"submitted\"");
        };
        QTRY_VERIFY_WITH_TIMEOUT(isTold(), Limit);
        QVERIFY(waitForOutput(*events, last.toUtf8(), seen));
        QVERIFY2(!seen.contains("\"default-"), seen);
        sendSignal(*events, SIGINT);
        DroverProgram::finish(*events);
        QVERIFY(run(u"events --past 1000"_qs).out.contains("default-"));
        QVERIFY(!run(u"events --past 1000 --queue other"_qs).out.contains("default-"));
    }

    void settingsOfAGivenZnode()
    {
        const QStringList at{u"--path"_qs, u"/setting"_qs};
        const Finished set = run(u"config set"_qs, at + words("first"));
        QVERIFY2(set.exitCode == 0, set.err);
        QCOMPARE(run(u"config get"_qs, at).out, QByteArray("first\n"));
        const std::unique_ptr<QProcess> watch = m_drover.start(words("config watch") + at);
        QByteArray seen;
        QVERIFY(waitForOutput(*watch, "first\n", seen));
        m_cluster.write(zk::Path("/setting"), "second");
        QVERIFY(waitForOutput(*watch, "second\n", seen));
        sendSignal(*watch, SIGINT);
        DroverProgram::finish(*watch);
    }

    void topTakesAnInterval()
    {
        QVERIFY(run(u"top --interval 50ms"_qs).out.contains("default"));
        const Finished never = run(u"top --interval never"_qs);
        QVERIFY2(never.exitCode == 2 && never.complainsOnce(), never.err);
    }

    // Moves use up numbers, so a range means those of its numbers that are jobs. A job that is named has to be one.
    void aRangeMeansTheJobsInIt()
    {
        const QString first = submit(u"--hold"_qs, "-- true");
        submit(u"--hold"_qs, "-- true");
        const QString last = submit(u"--hold"_qs, "-- true");
        const qint64 beyond = last.section(u'-', -1).toLongLong() + 900;
        const QString after = submit(QStringLiteral("--after-any %1..%2").arg(first).arg(beyond), "-- true");
        const QJsonArray others = show(after)[u"after_any"].toArray();
        QCOMPARE(others.size(), 3);
        QCOMPARE(others.first().toString(), first);
        QCOMPARE(others.last().toString(), last);
        const Finished none = run(u"submit --after-ok default-90001..90009 -- true"_qs);
        QVERIFY2(none.exitCode == 3 && none.complainsOnce(), none.err);
        QVERIFY2(none.err.contains("default-90001..90009: no number of this range is a job"), none.err);
        QCOMPARE(run(QStringLiteral("submit --after %1,default-90001 -- true").arg(first)).exitCode, 3);
        QCOMPARE(run(u"release"_qs, {first + u".."_qs + QString::number(beyond)}).exitCode, 0);
        QCOMPARE(run(u"wait"_qs, {after}).exitCode, 0);
    }

    // Ended jobs as well: what waits for a tag must not overlook one that failed early.
    void aTagMeansTheJobsThatHaveIt()
    {
        const QString ended = submit(u"--tag chord"_qs, "-- false");
        QCOMPARE(run(u"wait"_qs, {ended}).exitCode, 1);
        const QString held = submit(u"--tag chord --hold"_qs, "-- true");
        submit(u"--tag other --hold"_qs, "-- true");
        const QString any = submit(u"--after-any tag:chord"_qs, "-- true");
        const QJsonArray others = show(any)[u"after_any"].toArray();
        QCOMPARE(others, (QJsonArray{ended, held}));
        const QString ok = submit(u"--after-ok tag:chord"_qs, "-- true");
        QCOMPARE(run(u"wait"_qs, {ok}).exitCode, 125);
        QVERIFY(show(ok)[u"reason"].toString().contains(ended));
        QCOMPARE(run(u"release"_qs, {held}).exitCode, 0);
        QCOMPARE(run(u"wait"_qs, {any}).exitCode, 0);
        const Finished none = run(u"submit --after-ok tag:nothing -- true"_qs);
        QVERIFY2(none.exitCode == 3 && none.complainsOnce(), none.err);
        const QByteArray file = run(u"submit --dry-run --after-ok tag:chord -- true"_qs).out;
        QVERIFY2(file.contains("tag:chord"), file);
        QCOMPARE(run(u"cancel --tag other"_qs).exitCode, 0);
    }

    void aNameHasABound()
    {
        const QString longest(128, QChar(0xfc)); // 256 bytes
        QCOMPARE(run(u"submit --hold --name"_qs, {longest, u"true"_qs}).exitCode, 0);
        const QString tooLong = longest + u'x';
        const QString file = m_drover.directory() + u"/named.toml"_qs;
        QFile job(file);
        QVERIFY(job.open(QIODevice::WriteOnly));
        job.write("command = [\"true\"]\nname = \"" + tooLong.toUtf8() + "\"\n");
        job.close();
        for (const QStringList &words : {QStringList{u"submit"_qs, u"--name"_qs, tooLong, u"true"_qs},
                                         QStringList{u"submit"_qs, u"--file"_qs, file},
                                         QStringList{u"cron"_qs, u"add"_qs, u"named"_qs, u"@daily"_qs, u"--name"_qs,
                                                     tooLong, u"--"_qs, u"true"_qs}}) {
            const Finished refused = m_drover.run(words);
            QVERIFY2(refused.exitCode == 2 && refused.complainsOnce(), refused.err);
            QVERIFY2(refused.err.contains("name: a name has up to 256 bytes, and this has 257"), refused.err);
        }
    }

    void aClusterAtItsPort()
    {
        DroverProgram own;
        const ReservedPort port;
        const QString number = QString::number(port.number());
        const Finished up = own.run(words("up --detach --workers 1 --allow-setuid -o json --port") << number, 120'000);
        QVERIFY2(up.exitCode == 0, up.err);
        QCOMPARE(json(up)[u"connect"].toString(), u"127.0.0.1:"_qs + number);
        DroverProgram other;
        const QStringList run = words("run --connect") << u"127.0.0.1:"_qs + number << words("-- echo here");
        QCOMPARE(own.run(run).out, QByteArray("here\n"));
        QCOMPARE(other.run(run).exitCode, 5); // it has no credentials
        QCOMPARE(own.run(words("run -- grep NoNewPrivs /proc/self/status")).out, QByteArray("NoNewPrivs:\t0\n"));
        QCOMPARE(own.run(words("down")).exitCode, 0);
        QCOMPARE(own.run(words("up --detach --port 70000")).exitCode, 2);
    }

    // It sorted by queue, and --rows left the latest out.
    void withoutAHistoryTheLatestAreListed()
    {
        for (const char *const queue : {"other", "default"}) {
            const QString id = submit(QStringLiteral("--hold --queue ") + QLatin1String(queue), "true");
            QCOMPARE(run(u"cancel"_qs, {id}).exitCode, 0);
            const QJsonObject listed = json(run(u"ls --history none --state cancelled --rows 1 -o json"_qs));
            QCOMPARE(listed[u"jobs"].toArray()[0][u"id"].toString(), id);
        }
    }

    void theReasonForNoOutputIsTheTrueOne()
    {
        const QString id = submit(QStringLiteral("--output-limit 0"), "echo abc");
        QCOMPARE(run(u"wait"_qs, {id}).exitCode, 0);
        const Finished logs = run(u"logs"_qs, {id});
        QVERIFY2(logs.err.contains("--output-limit is 0") && !logs.err.contains("was removed"), logs.err);
    }

    void versionAndConfig()
    {
        QVERIFY(run(u"--version"_qs).out.startsWith("drover "));
        const QString file = m_drover.directory() + u"/drover.toml"_qs;
        QFile config(file);
        QVERIFY(config.open(QIODevice::WriteOnly));
        config.write("cluster = \"elsewhere\"\n");
        config.close();
        const Finished there = run(u"ls --config"_qs, {file});
        QVERIFY2(there.exitCode == 3 && there.complainsOnce() && there.err.contains("elsewhere"), there.err);
    }
};

QTEST_GUILESS_MAIN(OptionsTest)
#include "options_test.moc"
