#include "app/support/access_of.h"
#include "app/support/drover_program.h"
#include "async/qt_loop.h"
#include "jobs/model/layout.h"
#include "support/await.h"
#include "zk/client/session.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>
#include <QTest>

using namespace drover;
using namespace drover::test;

namespace {

QList<QJsonObject> lines(const QByteArray &jsonLines)
{
    QList<QJsonObject> objects;
    for (const QByteArray &line : jsonLines.split('\n')) {
        if (!line.isEmpty())
            objects.append(QJsonDocument::fromJson(line).object());
    }
    return objects;
}

} // namespace

// What users find of finished jobs: the real program, a real ZooKeeper, a SQLite file.
class HistoryTest : public QObject
{
    Q_OBJECT

    DroverProgram m_drover;
    QString m_connect;
    QStringList m_ids; // in the order of submission

    Finished drover(const char *arguments) const { return m_drover.run(words(arguments)); }
    Finished drover(const char *arguments, const QString &last) const { return m_drover.run(words(arguments) << last); }

    void submit(const QStringList &options, const char *script)
    {
        const Finished finished = m_drover.run(
            QStringList(QStringLiteral("submit")) + options
            + QStringList{QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"), QString::fromUtf8(script)});
        QVERIFY2(finished.exitCode == 0, finished.err);
        m_ids.append(QString::fromUtf8(finished.out.trimmed()));
    }

    QStringList found(const char *filter) const
    {
        QStringList ids;
        const Finished finished = drover(filter);
        if (finished.exitCode != 0)
            qWarning("%s: %s", filter, finished.err.constData());
        for (const QJsonObject &job : lines(finished.out))
            ids.append(job.value(QStringLiteral("id")).toString());
        ids.sort();
        return ids;
    }

    qint64 total() const { return json(drover("history -o json")).value(QStringLiteral("total")).toInteger(-1); }

    // What the master does with it a minute after it has been archived. On a slow machine the master may have done it.
    void removeFromZooKeeper(const QString &id)
    {
        async::QtLoop loop;
        zk::SessionOptions options;
        options.servers = m_connect;
        options.access = accessOf(trust::Credentials::read(m_drover.environment().value(QStringLiteral("XDG_DATA_HOME"))
                                                           + QStringLiteral("/drover/trust/default.drover")));
        zk::Session session(loop, options);
        session.open();
        const auto remove = [&]() -> async::Task<void> {
            co_await session.connected();
            const zk::Path record = jobs::Layout("default").done() / id.toUtf8();
            const zk::Answer<zk::Nothing> removed = co_await session.remove(record);
            if (!removed.is(zk::Code::NoNode))
                removed.require();
            co_await session.close();
        };
        await(remove());
    }

private Q_SLOTS:
    void initTestCase()
    {
        const Finished none = drover("history");
        QCOMPARE(none.exitCode, 3);
        QVERIFY2(none.complainsOnce() && none.err.contains("no history is kept here"), none.err);

        const Finished up = m_drover.run(words("up --detach --workers 2 --slots 2 -o json"), 120'000);
        QVERIFY2(up.exitCode == 0, up.err);
        m_connect = json(up).value(QStringLiteral("connect")).toString();
        // Nothing has been archived, which is no error.
        const Finished empty = drover("history -o json");
        QVERIFY2(empty.exitCode == 0, empty.err);
        QCOMPARE(json(empty).value(QStringLiteral("jobs")).toArray(), QJsonArray());
        QCOMPARE(json(empty).value(QStringLiteral("total")).toInt(-1), 0);
        QCOMPARE(drover("history --summary state").exitCode, 0);
        QCOMPARE(drover("history export").out.count('\n'), 1);

        submit(words("--name train-a"), "echo trained");
        submit(words("--name train-b --tag batch-7"), "exit 3");
        submit({}, "echo 'a, \"b\"'");
        submit(words("--time-limit 200ms"), "sleep 60");
        submit({}, "true");
        QCOMPARE(m_ids.size(), 5);
        m_drover.run(QStringList(QStringLiteral("wait")) + m_ids);
        QTRY_COMPARE_WITH_TIMEOUT(total(), 5, 60'000);
    }

    // ZooKeeper keeps a record for a minute; the last ends are known all the same.
    void eventsBeginWithTheLastEnds()
    {
        removeFromZooKeeper(m_ids[0]);
        removeFromZooKeeper(m_ids[1]);
        const auto ends = [&](const char *arguments) {
            QStringList ids;
            for (const QJsonObject &event : lines(drover(arguments).out))
                ids.append(event.value(QStringLiteral("id")).toString());
            return ids;
        };
        QStringList all = ends("events -o jsonl");
        QCOMPARE(ends("events -o jsonl --past 2"), all.mid(3));
        all.sort();
        QCOMPARE(all, m_ids);
        const Finished without = drover("events --history none");
        QVERIFY2(without.exitCode == 0 && without.err.contains("older ends are not known here"), without.err);
    }

    void eachJobHasOneRecord()
    {
        QCOMPARE(found("history -o jsonl"), m_ids);
        const QJsonObject all = json(drover("history -o json"));
        QCOMPARE(all.value(QStringLiteral("jobs")).toArray().size(), 5);
        const QJsonObject covers = all.value(QStringLiteral("coverage")).toObject();
        QCOMPARE(covers.value(QStringLiteral("job_count")).toInt(), 5);
        QVERIFY(covers.value(QStringLiteral("history")).toString().endsWith(u"/drover/history.sqlite"));
        QCOMPARE(covers.value(QStringLiteral("kept_by")).toArray().size(), 1);
        for (const QJsonValue &value : all.value(QStringLiteral("jobs")).toArray()) {
            const QJsonObject job = value.toObject();
            QCOMPARE(job.value(QStringLiteral("cluster")).toString(), QStringLiteral("default"));
            QVERIFY(job.value(QStringLiteral("ended_at")).toString().endsWith(u'Z'));
            QVERIFY(!job.value(QStringLiteral("worker")).toString().isEmpty());
        }
    }

    void everyFilterOfTheHelpWorks()
    {
        const auto ids = [&](std::initializer_list<int> which) {
            QStringList list;
            for (const int index : which)
                list.append(m_ids[index]);
            return list;
        };
        QCOMPARE(found("history -o jsonl --name train-*"), ids({0, 1}));
        QCOMPARE(found("history -o jsonl --queue default --state failed"), ids({1, 3}));
        QCOMPARE(found("history -o jsonl --outcome timed-out"), ids({3}));
        QCOMPARE(found("history -o jsonl --text sleep"), ids({3}));
        QCOMPARE(found("history -o jsonl --text train --state succeeded"), ids({0}));
        QCOMPARE(found("history -o jsonl --since 1h"), m_ids);
        QCOMPARE(found("history -o jsonl --until 1h"), QStringList());
        QCOMPARE(found("history -o jsonl --since 2020-01-01 --until 2100-01-01T00:00:00Z"), m_ids);
        QCOMPARE(found("history -o jsonl --submitter loc*"), m_ids);
        QCOMPARE(found("history -o jsonl --worker missing"), QStringList());
        QCOMPARE(found("history -o jsonl --cluster other"), QStringList());
        QCOMPARE(found("history -o jsonl --cluster other --all-clusters"), m_ids);
        QCOMPARE(drover("history -o jsonl", m_ids[2]).out.count('\n'), 1);
        QCOMPARE(found("history -o jsonl --rows 2").size(), 2);

        const Finished table = drover("history --rows 2");
        QCOMPARE(table.out.count('\n'), 3);
        QVERIFY2(table.err.contains("2 of 5 jobs shown") && table.complainsOnce(), table.err);
        QVERIFY2(drover("history").err.isEmpty(), drover("history").err);
        const Finished nothing = drover("history --name missing");
        QVERIFY2(nothing.err.contains("nothing matches; the history holds 5 jobs"), nothing.err);
    }

    void exportTakesTheSameFilters()
    {
        for (const char *const filter :
             {"--name train-*", "--queue default --state failed", "--queue other", "--outcome timed-out",
              "--text sleep", "--tag batch-7", "--tag batch", "--since 1h", "--until 1h", "--submitter loc*",
              "--submitter missing", "--worker missing", "--cluster other", "--cluster other --all-clusters"}) {
            const QStringList listed = found(QByteArray("history -o jsonl ") + filter);
            QVERIFY2(found(QByteArray("history export -o jsonl ") + filter) == listed, filter);
        }
    }

    // The numbers of the jobs are those of their submission, which is not the order of their ends.
    void theOrderIsThatWhichIsAskedFor()
    {
        const auto sorted = [this](const char *by, const char *field) {
            QStringList values;
            for (const QJsonObject &job : lines(drover("history -o jsonl --sort", QLatin1String(by)).out))
                values.append(job.value(QLatin1String(field)).toVariant().toString());
            return values;
        };
        QCOMPARE(sorted("id", "id"), m_ids);
        QStringList backwards = m_ids;
        std::reverse(backwards.begin(), backwards.end());
        QCOMPARE(sorted("id:desc", "id"), backwards);
        const QStringList names = sorted("name:asc", "name");
        QVERIFY2(names.size() == 5 && std::is_sorted(names.begin(), names.end()), qPrintable(names.join(u' ')));
        QCOMPARE(
            sorted("state", "state"),
            (QStringList() << u"failed"_qs << u"failed"_qs << u"succeeded"_qs << u"succeeded"_qs << u"succeeded"_qs));
        const Finished first = drover("history -o jsonl --sort id --rows 2");
        QCOMPARE(lines(first.out).size(), 2);
        QCOMPARE(lines(first.out)[0].value(QStringLiteral("id")).toString(), m_ids[0]);
    }

    void theSummaryAddsUp()
    {
        const QJsonArray groups =
            json(drover("history --summary state -o json")).value(QStringLiteral("groups")).toArray();
        QCOMPARE(groups.size(), 2);
        QCOMPARE(groups[0].toObject().value(QStringLiteral("state")).toString(), QStringLiteral("succeeded"));
        QCOMPARE(groups[0].toObject().value(QStringLiteral("job_count")).toInt(), 3);
        QCOMPARE(groups[1].toObject().value(QStringLiteral("failed")).toInt(), 2);
        for (const char *const by : {"outcome", "queue", "name", "submitter", "worker", "day", "hour"}) {
            const QList<QJsonObject> rows = lines(drover("history -o jsonl --summary", QLatin1String(by)).out);
            int jobs = 0;
            for (const QJsonObject &row : rows) {
                QVERIFY2(row.contains(QLatin1String(by)), by);
                jobs += row.value(QStringLiteral("job_count")).toInt();
            }
            QCOMPARE(jobs, 5);
        }
        const Finished table = drover("history --summary name");
        QVERIFY2(table.out.startsWith("NAME ") && table.out.contains("train-a"), table.out);
    }

    void exportsHoldEverything()
    {
        const QStringList rows = QString::fromUtf8(drover("history export").out).split(QStringLiteral("\r\n"));
        QCOMPARE(rows.size(), 7); // a header, and nothing after the last line's end
        QVERIFY(rows[0].startsWith(u"cluster,id,queue,name,state,outcome,exit_code,"));
        const QString quoted = rows.filter(m_ids[2]).value(0);
        QVERIFY2(quoted.contains(u"[\"\"sh\"\",\"\"-c\"\",\"\"echo 'a, "), qPrintable(quoted));
        const QList<QJsonObject> jobs = lines(drover("history export -o jsonl --name train-a").out);
        QCOMPARE(jobs.size(), 1);
        QCOMPARE(jobs[0].value(QStringLiteral("output_tail")).toString(), QStringLiteral("trained\n"));
        QCOMPARE(jobs[0].value(QStringLiteral("schema")).toInt(), 1);
    }

    void archivedJobsAreFoundAsBefore()
    {
        removeFromZooKeeper(m_ids[0]);
        removeFromZooKeeper(m_ids[1]);
        const QJsonObject shown = json(drover("show -o json", m_ids[1]));
        QCOMPARE(shown.value(QStringLiteral("state")).toString(), QStringLiteral("failed"));
        QCOMPARE(shown.value(QStringLiteral("exit_code")).toInt(), 3);
        QCOMPARE(drover("wait", m_ids[1]).exitCode, 3);
        QCOMPARE(drover("logs", m_ids[0]).out, QByteArray("trained\n"));
        QCOMPARE(drover("logs -f", m_ids[0]).out, QByteArray("trained\n"));
        QCOMPARE(found("ls --all -o jsonl"), m_ids);
        QCOMPARE(json(drover("ls --all -o json")).value(QStringLiteral("total")).toInt(), 5);
        QCOMPARE(found("ls --state failed -o jsonl"), (QStringList{m_ids[1], m_ids[3]}));
        QCOMPARE(drover("ls --all --rows 3 -o jsonl").out.count('\n'), 3);
        QCOMPARE(found("ls --all --name train-* -o jsonl"), (QStringList{m_ids[0], m_ids[1]}));
        QCOMPARE(json(drover("ls --all --name train-* --rows 1 -o json")).value(QStringLiteral("total")).toInt(), 2);
        QCOMPARE(found("ls --all --name *-? --state failed -o jsonl"), QStringList{m_ids[1]});
        QCOMPARE(found("ls --all --tag batch-7 -o jsonl"), QStringList{m_ids[1]});
        QCOMPARE(found("ls --all --tag batch -o jsonl"), QStringList()); // a whole tag, not its beginning
        QCOMPARE(found("ls --all --submitter missing -o jsonl"), QStringList());
        const QByteArray submitter = shown.value(QStringLiteral("submitter")).toString().toUtf8();
        for (const QByteArray &user : {submitter, submitter.split('@').first(), QByteArray("loc*")}) {
            QVERIFY2(found("ls --all -o jsonl --submitter " + user) == m_ids, user);
            QVERIFY2(found("history -o jsonl --submitter " + user) == m_ids, user);
        }
        QCOMPARE(drover("show --history none", m_ids[1]).exitCode, 3);
        QCOMPARE(drover("show", QStringLiteral("default-999")).exitCode, 3);
    }

    // In the words that they had while the record was in ZooKeeper, and with that exit code.
    void verbsAndWhyKnowArchivedJobs()
    {
        for (const char *const verb : {"cancel", "hold", "release", "requeue", "signal TERM", "priority 1"}) {
            const Finished refused = drover(verb, m_ids[1]);
            QVERIFY2(refused.exitCode == 4, verb);
            QVERIFY2(refused.complainsOnce() && refused.err.contains("has already ended (failed)"), refused.err);
        }
        QCOMPARE(drover("cancel", QStringLiteral("default-999")).exitCode, 3);

        const Finished why = drover("why", m_ids[1]);
        QVERIFY2(why.exitCode == 0, why.err);
        QVERIFY2(why.out.contains("it has ended: failed"), why.out);
        QCOMPARE(drover("why", QStringLiteral("default-999")).exitCode, 3);
    }

    // The exit code shows the failures even if the array has been archived before a script begins to wait.
    void waitReportsJobsThatHaveEnded()
    {
        const auto waitedFor = [](const Finished &finished) {
            QStringList ids;
            for (const QJsonValue &job : json(finished).value(QStringLiteral("jobs")).toArray())
                ids.append(job.toObject().value(QStringLiteral("id")).toString());
            return ids;
        };
        const QString last = m_ids[4].section(u'-', -1);
        const Finished all = drover("wait -o json", m_ids[0] + QStringLiteral("..") + last);
        QCOMPARE(waitedFor(all), m_ids);
        QCOMPARE(all.exitCode, 124);

        const Finished tagged = drover("wait -o json --tag batch-7");
        QCOMPARE(waitedFor(tagged), QStringList{m_ids[1]});
        QCOMPARE(tagged.exitCode, 3);
        const Finished named = drover("wait -o json --name train-*");
        QCOMPARE(waitedFor(named), (QStringList{m_ids[0], m_ids[1]}));
        QCOMPARE(named.exitCode, 3);

        for (const char *const nothing :
             {"wait --tag batch", "wait --tag batch-7 --queue other", "wait --name train-* --since 2100-01-01",
              "wait --tag batch-7 --state ready"}) {
            const Finished none = drover(nothing);
            QCOMPARE(none.exitCode, 3);
            QVERIFY2(none.complainsOnce() && none.err.contains("no job matches"), none.err);
        }
        const Finished away = drover("wait --history postgresql://127.0.0.1:1/db --name train-*");
        QVERIFY(away.exitCode != 0);
        QVERIFY2(away.err.contains("those that were archived are not among them"), away.err);
    }

    // Not that there was no such job.
    void theOutcomeIsUnknownWhileTheHistoryDoesNotAnswer()
    {
        const QStringList away = words("--history postgresql://127.0.0.1:1/db");
        for (const QStringList &command :
             {words("submit --after-ok") << m_ids[1] << QStringLiteral("--") << QStringLiteral("true"),
              words("show") << m_ids[1], words("cancel") << m_ids[1]}) {
            const Finished unknown = m_drover.run(away + command);
            QCOMPARE(unknown.exitCode, 1);
            QVERIFY2(unknown.complainsOnce() && unknown.err.contains("cannot find out whether"), unknown.err);
        }
    }

    void theMasterSaysHowItGoes()
    {
        const QJsonObject master = json(drover("master show -o json"));
        QVERIFY(master.value(QStringLiteral("history")).toString().endsWith(u"/history.sqlite"));
        QVERIFY(master.contains(QStringLiteral("history_backlog")));
        QVERIFY(!master.contains(QStringLiteral("history_error")));
    }

    void howMuchIsKeptCanBeSet()
    {
        const QJsonObject before = json(drover("history keep -o json"));
        QCOMPARE(before.value(QStringLiteral("keep_jobs")).toInt(-1), 0);
        const QJsonObject set = json(drover("history keep --for 90d --jobs 1000 -o json"));
        QCOMPARE(set.value(QStringLiteral("keep_for")).toString(), QStringLiteral("90d"));
        const Finished bare = drover("history keep --for 30"); // it would be seconds
        QVERIFY2(bare.exitCode == 2 && bare.err.contains("give a unit: 30d, "), bare.err);
        const QJsonObject after = json(drover("history keep --for 0 -o json"));
        QCOMPARE(after.value(QStringLiteral("keep_for")).toString(), QStringLiteral("0s"));
        QCOMPARE(after.value(QStringLiteral("keep_jobs")).toInt(), 1000);
    }

    void whatAHistoryThatIsAwayCostsCanBeSet()
    {
        const auto whenAway = [this] {
            return json(drover("history keep -o json")).value(QStringLiteral("when_away")).toString();
        };
        QCOMPARE(whenAway(), QStringLiteral("hold"));
        const QByteArray dropping = drover("history keep --when-away drop").out;
        QVERIFY2(dropping.contains("the oldest final records beyond"), dropping);
        QCOMPARE(whenAway(), QStringLiteral("drop"));
        const QByteArray holding = drover("history keep --when-away hold").out;
        QVERIFY2(holding.contains("no job is claimed once"), holding);
        QCOMPARE(whenAway(), QStringLiteral("hold"));
    }

    void badInputGetsOneLine_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<int>("code");
        QTest::newRow("when away") << QStringLiteral("history keep --when-away later") << 2;
        QTest::newRow("time") << QStringLiteral("history --since yesterday") << 2;
        QTest::newRow("summary") << QStringLiteral("history --summary colour") << 2;
        QTest::newRow("order") << QStringLiteral("history --sort colour") << 2;
        QTest::newRow("direction") << QStringLiteral("history --sort name:up") << 2;
        QTest::newRow("order of groups") << QStringLiteral("history --sort name --summary name") << 2;
        QTest::newRow("state") << QStringLiteral("history --state running") << 2;
        QTest::newRow("format") << QStringLiteral("history export -o xml") << 2;
        QTest::newRow("id") << QStringLiteral("history export nonsense") << 2;
        QTest::newRow("rows") << QStringLiteral("history --rows 0") << 2;
        QTest::newRow("place") << QStringLiteral("history --history mysql://host/db") << 2;
        QTest::newRow("no such file") << QStringLiteral("history --history none.sqlite") << 3;
        QTest::newRow("none") << QStringLiteral("history --history none") << 3;
        QTest::newRow("no server") << QStringLiteral("history --history postgresql://127.0.0.1:1/db") << 1;
        QTest::newRow("no such job") << QStringLiteral("history default-99999") << 3;
        QTest::newRow("a worker's place") << QStringLiteral("worker --history mysql://host/db") << 2;
    }
    void badInputGetsOneLine()
    {
        QFETCH(QString, arguments);
        const Finished finished = m_drover.run(arguments.split(u' '));
        QTEST(finished.exitCode, "code");
        QVERIFY2(finished.complainsOnce(), finished.err);
    }

    void theHistoryOutlivesTheCluster()
    {
        QCOMPARE(drover("down").exitCode, 0);
        QCOMPARE(found("history -o jsonl"), m_ids);
        QCOMPARE(drover("ls").exitCode, 6);
    }
};

QTEST_GUILESS_MAIN(HistoryTest)
#include "history_test.moc"
