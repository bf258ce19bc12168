#include "app/support/drover_on_server.h"
#include "gui/doctor/doctor_run.h"
#include "gui/session_as_user.h"
#include "gui/workspace/console_models.h"

#include <QJsonArray>
#include <QSignalSpy>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::gui;
using namespace drover::test;
using namespace std::chrono_literals;

// The console and the command line say the same of one cluster.
class AgreementTest : public QObject
{
    Q_OBJECT

    static constexpr int Limit = 60'000; // ms

    DroverOnServer m_cluster;
    std::unique_ptr<QProcess> m_worker;
    async::QtLoop m_loop;
    ConsoleModels m_models;
    std::unique_ptr<ConsoleSession> m_console;
    jobs::JobId m_runs;

    jobs::JobId submit(const char *arguments)
    {
        const Finished submitted = m_cluster.drover.run(words("submit") + words(arguments));
        if (submitted.exitCode != 0)
            qFatal("%s", submitted.err.constData());
        return jobs::JobId::parse(QString::fromUtf8(submitted.out.trimmed())).value();
    }
    void run(const QByteArray &arguments)
    {
        const Finished finished = m_cluster.drover.run(words(arguments.constData()));
        QVERIFY2(finished.exitCode == 0, finished.err.constData());
    }
    QJsonArray list(const char *arguments, const char *key) const
    {
        return json(m_cluster.drover.run(words(arguments) + words("-o json")))[QLatin1String(key)].toArray();
    }

    // "default-1 all slots are taken", of the jobs that wait for a worker and not for a pause.
    QStringList reasonsListed() const
    {
        QStringList lines;
        const QJsonArray all = list("ls --state ready --queue default", "jobs");
        for (const QJsonValue &job : all)
            lines << job[u"id"].toString() + u' ' + job[u"waits_for"].toString();
        lines.sort();
        return lines;
    }
    QStringList reasonsShown() const
    {
        QStringList lines;
        for (int i = 0; i < m_models.jobs.rowCount(); ++i) {
            const JobRow &job = m_models.jobs.row(i);
            if (!job.id.isTask() && job.state == jobs::JobState::Ready && job.id.queue == "default")
                lines << job.id.toString() + u' ' + m_models.jobs.index(i, JobModel::WaitsFor).data().toString();
        }
        lines.sort();
        return lines;
    }

    // "default-1 running lock db", as the command line lists it and as the console shows it.
    QStringList jobsListed() const
    {
        QStringList lines;
        const QJsonArray all = list("ls --all", "jobs");
        for (const QJsonValue &job : all)
            lines << QStringList{job[u"id"].toString(), job[u"state"].toString(), job[u"name"].toString(),
                                 job[u"progress"].toString(), job[u"worker"].toString()}
                         .join(u' ');
        lines.sort();
        return lines;
    }
    QStringList jobsShown() const
    {
        QStringList lines;
        for (int i = 0; i < m_models.jobs.rowCount(); ++i) {
            const JobRow &job = m_models.jobs.row(i);
            if (!job.id.isTask())
                lines << QStringList{job.id.toString(), jobs::stateName(job.state), job.name, job.progress, job.worker}
                             .join(u' ');
        }
        lines.sort();
        return lines;
    }

    // "w1 3 of 4 cordoned", and why.
    QStringList workersListed() const
    {
        QStringList lines;
        const QJsonArray all = list("worker ls", "workers");
        for (const QJsonValue &worker : all)
            lines << u"%1 %2 of %3 %4"_qs.arg(worker[u"worker"].toString())
                         .arg(worker[u"slots_used"].toInt())
                         .arg(worker[u"slots"].toInt())
                         .arg(worker[u"cordoned_why"].toString());
        return lines;
    }
    QStringList workersShown() const
    {
        QStringList lines;
        for (int i = 0; i < m_models.workers.rowCount(); ++i) {
            const WorkerRow &worker = m_models.workers.row(i);
            lines << u"%1 %2 %3"_qs.arg(QString::fromUtf8(worker.id),
                                        m_models.workers.index(i, WorkerModel::Running).data().toString(),
                                        worker.cordon.section(u": "_qs, 1));
        }
        return lines;
    }

    // "default 3 1 2": a queue, and how many jobs and tasks of it run, are ready, and are held or wait.
    QStringList countsListed() const
    {
        struct Counts {
            int running = 0;
            int ready = 0;
            int waiting = 0;
        };
        QMap<QString, Counts> counts;
        const QJsonArray queues = list("queue ls", "queues");
        for (const QJsonValue &queue : queues)
            counts.insert(queue[u"queue"].toString(), {});
        const QJsonArray all = list("ls --tasks", "jobs");
        for (const QJsonValue &job : all) {
            const jobs::JobId id = jobs::JobId::parse(job[u"id"].toString()).value();
            const bool isRunningArray = !job[u"progress"].toString().isEmpty();
            const QString state = job[u"state"].toString();
            Counts &ofQueue = counts[QString::fromUtf8(id.queue)];
            ofQueue.running += state == u"running" && !isRunningArray;
            ofQueue.ready += state == u"ready";
            ofQueue.waiting += state == u"waiting" || state == u"held";
        }
        QStringList lines;
        for (auto queue = counts.cbegin(); queue != counts.cend(); ++queue)
            lines << u"%1 %2 %3 %4"_qs.arg(queue.key()).arg(queue->running).arg(queue->ready).arg(queue->waiting);
        return lines;
    }
    QStringList countsShown() const
    {
        QStringList lines;
        for (const auto &[name, ring] : m_models.queues.series()) {
            const QueueDepth queue = m_models.queues.now(name);
            lines << QStringList{QString::fromUtf8(name), QString::number(queue.running), QString::number(queue.ready),
                                 QString::number(queue.waiting)}
                         .join(u' ');
        }
        return lines;
    }

    QStringList queuesListed() const
    {
        QStringList lines;
        const QJsonArray all = list("queue ls", "queues");
        for (const QJsonValue &queue : all)
            lines << u"%1 %2 %3 %4"_qs.arg(queue[u"queue"].toString())
                         .arg(queue[u"unfinished"].toInt())
                         .arg(queue[u"max_running"].toInt())
                         .arg(queue[u"paused_why"].toString());
        return lines;
    }
    QStringList queuesShown() const
    {
        QStringList lines;
        for (const auto &[name, ring] : m_models.queues.series()) {
            const QueueDepth queue = m_models.queues.now(name);
            lines << u"%1 %2 %3 %4"_qs.arg(QString::fromUtf8(name))
                         .arg(queue.depth)
                         .arg(queue.limit)
                         .arg(queue.paused.section(u": "_qs, 1));
        }
        return lines;
    }

    // "nightly active 0 3 * * * Europe/Berlin default", and the times in UTC.
    QStringList schedulesListed() const
    {
        QStringList lines;
        const QJsonArray all = list("cron ls", "schedules");
        for (const QJsonValue &schedule : all)
            lines << QStringList{schedule[u"schedule"].toString(), schedule[u"state"].toString(),
                                 schedule[u"cron"].toString(),     schedule[u"zone"].toString(),
                                 schedule[u"queue"].toString(),    schedule[u"next_at"].toString()}
                         .join(u' ');
        return lines;
    }
    QStringList schedulesShown() const
    {
        QStringList lines;
        for (int i = 0; i < m_models.schedules.rowCount(); ++i) {
            const auto cell = [&](ScheduleModel::Column column) {
                return m_models.schedules.index(i, column).data().toString();
            };
            const qint64 next = m_models.schedules.next(i);
            const QDateTime at = QDateTime::fromMSecsSinceEpoch(next, Qt::UTC);
            lines << QStringList{cell(ScheduleModel::Name),  cell(ScheduleModel::State).toLower(),
                                 cell(ScheduleModel::When),  cell(ScheduleModel::Zone),
                                 cell(ScheduleModel::Queue), next > 0 ? at.toString(Qt::ISODateWithMs) : QString()}
                         .join(u' ');
        }
        return lines;
    }

    // "default-1 2031-05-01T03:00:00.000Z": an unfinished job, and before when it does not start.
    QStringList startsListed() const
    {
        QStringList lines;
        const QJsonArray all = list("ls", "jobs");
        for (const QJsonValue &job : all) {
            if (job[u"state"].toString() == u"waiting" && !job[u"start_at"].isUndefined())
                lines << job[u"id"].toString() + u' ' + job[u"start_at"].toString();
        }
        lines.sort();
        return lines;
    }
    QStringList startsShown() const
    {
        QStringList lines;
        for (int i = 0; i < m_models.jobs.rowCount(); ++i) {
            const JobRow &job = m_models.jobs.row(i);
            if (job.state == jobs::JobState::Waiting && job.startsAt > 0)
                lines << job.id.toString() + u' '
                        + QDateTime::fromMSecsSinceEpoch(job.startsAt, Qt::UTC).toString(Qt::ISODateWithMs);
        }
        lines.sort();
        return lines;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({"default", "nightly"});
        m_worker = m_cluster.drover.start(words("worker --id w1 --slots 5 --queue default --queue nightly"));
        QTRY_COMPARE_WITH_TIMEOUT(m_cluster.children(m_cluster.layout.members()).size(), 1, Limit);
        m_console = std::make_unique<ConsoleSession>(m_loop, sessionAsUser(m_cluster));
        connectModels(m_models, *m_console);
        m_console->open({m_cluster.server.connectString(), "default"});
    }
    void cleanupTestCase()
    {
        m_console.reset();
        m_worker->terminate();
        DroverProgram::finish(*m_worker);
    }

    void consoleAndCommandAgreeAboutJobs()
    {
        submit("--name ends -- true");
        submit("--name fails -- false");
        m_runs = submit("--name large --slots 3 -- sleep 600");
        QTRY_VERIFY_WITH_TIMEOUT(m_models.jobs.find(m_runs) && !m_models.jobs.find(m_runs)->worker.isEmpty(), Limit);
        const jobs::JobId array = submit("--name measures --array 1-3 -- sleep 600");
        QTRY_COMPARE_WITH_TIMEOUT(workersShown(), QStringList{u"w1 5 of 5 "_qs}, Limit);
        const jobs::JobId waits = submit("--name later --slots 3 -- true");
        submit("--name later-still --hold -- true");
        submit("--name after --after-ok default-2 -- true");
        submit("--name sweep --array 1-5 --hold -- true");
        submit("--name hopeless --label gpu -- true");
        submit("--name huge --memory 900G -- true");
        run("queue pause nightly --why maintenance");
        run("queue limit default 7");
        const jobs::JobId paused = submit("--queue nightly --name backup -- true");
        run("worker cordon w1 --why disk");
        QTRY_COMPARE_WITH_TIMEOUT(jobsShown(), jobsListed(), Limit);
        QVERIFY(jobsShown().size() >= 8);
        QTRY_COMPARE_WITH_TIMEOUT(reasonsShown(), reasonsListed(), Limit);
        QCOMPARE(reasonsShown().filter(u"label gpu"_qs).size(), 1);
        QCOMPARE(reasonsShown().filter(u"900"_qs).size(), 1);
        QTRY_COMPARE_WITH_TIMEOUT(workersShown(), workersListed(), Limit);
        QCOMPARE(workersShown(), QStringList{u"w1 5 of 5 disk"_qs});
        QTRY_COMPARE_WITH_TIMEOUT(queuesShown(), queuesListed(), Limit);
        QVERIFY(queuesShown().last().endsWith(u"maintenance"_qs));
        QTRY_COMPARE_WITH_TIMEOUT(countsShown(), countsListed(), Limit);
        // A job and two tasks of the array run. A job is held, an array is held, and a job waits for another.
        QCOMPARE(countsShown().first(), u"default 3 4 3"_qs);
        for (const jobs::JobId &id : {waits, paused})
            compareReasons(id);
        run("cancel " + array.bytes());
        QTRY_COMPARE_WITH_TIMEOUT(workersShown(), QStringList{u"w1 3 of 5 disk"_qs}, Limit);
    }

    // The console's findings are those of the command, without what is well, and without what an answer's time decides.
    void consoleAndCommandFindTheSame()
    {
        const auto described = [](const QJsonObject &finding) {
            return finding[u"level"].toString() + u' ' + finding[u"subject"].toString() + u' '
                + finding[u"advice"].toString();
        };
        const auto tellsSpeed = [](const QString &subject) {
            return subject == u"session" || subject == u"access" || subject.startsWith(u"ZooKeeper ");
        };
        const QProcessEnvironment environment = m_cluster.drover.environment();
        const QStringList names = environment.keys();
        for (const QString &name : names) // what the run inherits
            qputenv(name.toUtf8(), environment.value(name).toUtf8());
        DoctorRun run;
        QSignalSpy found(&run, &DoctorRun::found);
        run.look({qEnvironmentVariable("DROVER_BIN_DIR") + u"/drover"_qs, {}});
        QTRY_COMPARE_WITH_TIMEOUT(found.size(), 1, Limit);
        QStringList shown;
        for (int i = 0; i < run.findings().rowCount(); ++i) {
            const FindingRow &row = run.findings().row(i);
            if (!tellsSpeed(row.subject))
                shown << row.level + u' ' + row.subject + u' ' + row.advice;
        }
        QStringList listed;
        const QJsonArray all = list("doctor", "findings");
        for (const QJsonValue &finding : all) {
            if (finding[u"level"].toString() != u"ok" && !tellsSpeed(finding[u"subject"].toString()))
                listed << described(finding.toObject());
        }
        listed.removeDuplicates();
        QVERIFY(!listed.filter(u"queue nightly"_qs).isEmpty());
        shown.sort();
        listed.sort();
        QCOMPARE(shown, listed);
    }

    void consoleAndCommandAgreeAboutSchedules()
    {
        const auto add = [this](const QStringList &schedule) {
            const Finished added = m_cluster.drover.run(words("cron add") + schedule);
            QVERIFY2(added.exitCode == 0, added.err.constData());
        };
        add({u"nightly"_qs, u"0 3 * * *"_qs, u"--zone"_qs, u"Europe/Berlin"_qs, u"--"_qs, u"true"_qs});
        add({u"yearly"_qs, u"@yearly"_qs, u"--queue"_qs, u"nightly"_qs, u"--"_qs, u"true"_qs});
        run("cron pause yearly");
        QTRY_COMPARE_WITH_TIMEOUT(schedulesShown(), schedulesListed(), Limit);
        QCOMPARE(schedulesShown().size(), 2);
        QVERIFY(schedulesShown()[0].startsWith(u"nightly active 0 3 * * * Europe/Berlin default 2"_qs));
    }

    // What the console does to jobs, queues and workers, the command line shows as if it had done it.
    void changesWhatTheCommandsChange()
    {
        run("worker uncordon w1");
        const jobs::JobId job = submit("--queue nightly --name changed -- true");
        act({JobVerb::Kind::Hold}, job);
        QCOMPARE(shown(job, "state"), u"held"_qs);
        act({JobVerb::Kind::Priority, {}, 2}, job);
        QCOMPARE(shown(job, "priority"), u"2"_qs);
        act({JobVerb::Kind::Release}, job);
        QCOMPARE(shown(job, "state"), u"ready"_qs);
        act({JobVerb::Kind::Cancel}, job);
        QCOMPARE(shown(job, "state"), u"cancelled"_qs);

        ClusterChanges &changes = m_console->changes();
        changes.resume(2, {"nightly"});
        QTRY_COMPARE_WITH_TIMEOUT(list("queue ls", "queues").last()[u"state"].toString(), u"open"_qs, Limit);
        changes.pause(3, {"nightly"}, u"from the console"_qs);
        QTRY_COMPARE_WITH_TIMEOUT(list("queue ls", "queues").last()[u"paused_why"].toString(), u"from the console"_qs,
                                  Limit);
        changes.cordon(4, {"w1"}, u"from the console"_qs, true);
        QTRY_COMPARE_WITH_TIMEOUT(workersListed(), QStringList{u"w1 3 of 5 from the console"_qs}, Limit);
        QTRY_COMPARE_WITH_TIMEOUT(workersShown(), workersListed(), Limit);
        run("limit set licences 3");
        changes.setPermits(5, "licences", 3, 4);
        QTRY_COMPARE_WITH_TIMEOUT(list("limit ls", "limits").last()[u"permits"].toInt(), 4, Limit);
        QVERIFY(!m_models.workers.isDrained(0)); // one job runs
        act({JobVerb::Kind::Signal, {}, SIGTERM}, m_runs);
        QTRY_VERIFY_WITH_TIMEOUT(m_models.workers.isDrained(0), Limit);
    }

    // Also of a job that is tried again, which waits for no other job any more.
    void consoleAndCommandAgreeAboutStarts()
    {
        run("worker uncordon w1");
        submit("--name at-night --start-at 2031-05-01T03:00 -- true");
        submit("--name later-array --array 1-3 --delay 2h -- true");
        const jobs::JobId retried = submit("--after-ok default-0 --retries 3 --backoff 1h -- false");
        QTRY_COMPARE_WITH_TIMEOUT(startsListed().size(), 3, Limit);
        QTRY_COMPARE_WITH_TIMEOUT(startsShown(), startsListed(), Limit);
        const QString waits = m_models.jobs.find(retried)->waits;
        QVERIFY2(waits.startsWith(u"its retry at "_qs) && !waits.contains(u"default-0"_qs), qPrintable(waits));
    }

private:
    void act(const JobVerb &verb, const jobs::JobId &id)
    {
        QSignalSpy acted(&m_console->changes(), &ClusterChanges::acted);
        m_console->changes().act(1, verb, {id});
        QTRY_COMPARE_WITH_TIMEOUT(acted.size(), 1, Limit);
        const auto outcomes = acted[0][1].value<QList<ActedOn>>();
        QVERIFY2(outcomes.size() == 1 && outcomes[0].why.isEmpty(), qPrintable(outcomes.value(0).why));
    }
    QString shown(const jobs::JobId &id, const char *field) const
    {
        return json(m_cluster.drover.run(words("show -o json") + QStringList(id.toString())))[QLatin1String(field)]
            .toVariant()
            .toString();
    }

    // As drover why says them.
    void compareReasons(const jobs::JobId &id)
    {
        QSignalSpy found(&m_console->actions(), &JobActions::found);
        m_console->actions().lookUp(1, id);
        QTRY_COMPARE_WITH_TIMEOUT(found.size(), 1, Limit);
        const QStringList shown = found[0][2].toStringList();
        const QJsonArray listed =
            json(m_cluster.drover.run(words("why -o json") + QStringList(id.toString())))[u"reasons"].toArray();
        QVERIFY(!listed.isEmpty());
        QCOMPARE(shown.size(), listed.size());
        for (qsizetype i = 0; i < shown.size(); ++i)
            QVERIFY2(shown[i].startsWith(listed[i][u"what"].toString()), qPrintable(shown[i]));
    }
};

QTEST_GUILESS_MAIN(AgreementTest)
#include "agreement_test.moc"
