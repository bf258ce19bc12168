#include "jobs/cluster/queue_settings.h"
#include "workers/master/arrays/array_cluster.h"
#include "workers/master/base/archiving_cluster.h"

#include <QJsonDocument>
#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

// As a newer drover writes it.
QByteArray newer(const QByteArray &stored)
{
    QJsonObject object = QJsonDocument::fromJson(stored).object();
    object.insert(QLatin1String("v"), 3);
    object.insert(QLatin1String("command"), QStringLiteral("true"));
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

void makeNewer(JobCluster &fake, const zk::Path &path)
{
    fake.write(path, newer(fake.node(path).data));
}

QStringList troublesIn(const JobCluster &fake)
{
    QStringList texts;
    for (const ClusterStats::Trouble &trouble : ClusterStats::decode(fake.node(fake.layout.stats()).data).troubles)
        texts.append(trouble.subject + QStringLiteral(": ") + trouble.error);
    return texts;
}

} // namespace

// While the machines of a cluster are updated, old workers and masters meet what newer programs have written.
class NewerFormatTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.*=false")); }

    void aJobIsLeftToNewerWorkers()
    {
        WorkerCluster fake(2);
        const JobId newJob = fake.submit();
        const JobId oldJob = fake.submit();
        makeNewer(fake, fake.pathOf(newJob));
        workers::Claimer claimer(jobs::Cluster(fake[1], fake.layout), QStringLiteral("w1"));
        const workers::Candidates found = fake.run(claimer.read("default", fake.ready()));
        QCOMPARE(found.jobs.size(), 1u);
        QCOMPARE(found.jobs.front().id, oldJob);
        QCOMPARE(found.unsuitable.size(), 1u);
        QCOMPARE(found.unsuitable.front().attempts.claimVersion - 1, fake.node(fake.pathOf(newJob)).stat.version);
        QVERIFY(!fake.exists(fake.layout.done(newJob)));
    }

    void aJobThatWaitsGoesOnWaiting()
    {
        WorkerCluster fake(2);
        const JobId first = fake.submit();
        const JobId id = submitAfter(fake, Dependency::Kind::Ok, first);
        makeNewer(fake, fake.layout.job("default", *fake.view(id).entry));
        const Leading master(fake, 1);
        fake.end(first, 0);
        fake.settle(60s);
        QCOMPARE(fake.stateOf(id), JobState::Waiting);
        QCOMPARE(
            troublesIn(fake),
            QStringList(QStringLiteral("job default-1: it stays where it is: it is of version 3 of its format, this "
                                       "drover knows 2")));
    }

    void anArrayIsNotEnded()
    {
        ArrayCluster fake;
        const JobId id = fake.submitArray("1-3");
        const zk::Path path = fake.layout.job("default", *fake.view(id).entry);
        makeNewer(fake, path);
        fake.lead(1);
        fake.settle(5s);
        QVERIFY(fake.exists(path));
        QVERIFY(!fake.exists(fake.layout.done(id)));
        QCOMPARE(fake.work(fake.submitArray("1-3")).exitCode(), 0); // others are not in its way
    }

    // It was at work when a newer program wrote it anew.
    void anArrayAtWorkThatBecomesNewIsNotEnded()
    {
        ArrayCluster fake;
        fake.lead(1);
        const JobId id = fake.submitArray("1-3000");
        fake.settle(2s);
        const std::vector<QueueEntry> tasks = fake.tasksOf(id);
        QVERIFY(!tasks.empty());
        const zk::Path path = fake.layout.job("default", *fake.view(id).entry);
        makeNewer(fake, path);
        for (const QueueEntry &task : tasks)
            fake.endTask(task);
        fake.settle(5s);
        QVERIFY(fake.exists(path));
        QVERIFY(!fake.exists(fake.layout.done(id)));
        QCOMPARE(fake.work(fake.submitArray("1-3")).exitCode(), 0); // others are not in its way
    }

    // It may have the name, and a newer worker may run it.
    void aSingletonWaitsForANewerJobBeforeIt()
    {
        WorkerCluster fake(2);
        JobSpec spec = JobCluster::spec();
        const JobId first = fake.submit(spec);
        makeNewer(fake, fake.pathOf(first));
        spec.singleton = true;
        const JobId id = fake.submit(spec);
        const Leading master(fake, 1);
        fake.settle(10s);
        QCOMPARE(fake.stateOf(id), JobState::Waiting);
        QVERIFY2(troublesIn(fake).join(u'\n').startsWith(u"singletons of queue default: job default-0"),
                 qPrintable(troublesIn(fake).join(u'\n')));
        fake.end(first, 0);
        fake.settle(10s);
        QCOMPARE(fake.stateOf(id), JobState::Ready);
        QCOMPARE(troublesIn(fake), QStringList());
    }

    // Whether it succeeded, a newer master will know.
    void aDependentOfAJobWithANewerRecordGoesOnWaiting()
    {
        WorkerCluster fake(2);
        const JobId first = fake.submit();
        const JobId id = submitAfter(fake, Dependency::Kind::Ok, first);
        const Leading master(fake, 1);
        fake.commit(zk::Transaction()
                        .remove(fake.pathOf(first))
                        .create(fake.layout.done(first), newer(FinalRecord::of(first, JobCluster::spec()).encode())));
        fake.settle(60s);
        QCOMPARE(fake.stateOf(id), JobState::Waiting);
    }

    void anArrayWhoseTaskHasANewRecordGoesOn()
    {
        ArrayCluster fake;
        const JobId id = fake.submitArray("1-2");
        fake.lead(1);
        fake.settle(2s);
        const std::vector<QueueEntry> tasks = fake.tasksOf(id);
        QCOMPARE(tasks.size(), 2u);
        fake.endTask(tasks[0]);
        const JobId last = tasks[1].idIn("default");
        fake.commit(zk::Transaction()
                        .remove(fake.layout.job("default", tasks[1]))
                        .create(fake.layout.done(last), newer(FinalRecord::of(last, JobCluster::spec()).encode())));
        fake.settle(60s);
        QCOMPARE(fake.view(id).progress->counted(), 1);
        QVERIFY(!fake.exists(fake.layout.done(id)));
    }

    void aRecordStaysForANewerMaster()
    {
        ArchivingCluster fake;
        fake.finish(1, newer(FinalRecord::of({"default", 1}, JobCluster::spec()).encode()));
        fake.finish(2);
        fake.lead(1);
        fake.settle(workers::Archiver::Linger + 20s);
        QCOMPARE(fake.archived(), 1);
        QCOMPARE(fake.childrenOf(fake.layout.done()), (QByteArrayList{"default-1"}));
        QCOMPARE(fake.stats().archive->aside, 1);
    }

    void nothingIsDeletedWhileTheHistoryIsOfANewerSchema()
    {
        ArchivingCluster fake;
        fake.write(fake.layout.config(), R"({"v":1,"done_limit":3})");
        fake.execRaw(QStringLiteral("INSERT INTO drover_schema (version) VALUES (1000)"));
        fake.finishAll(1, 9);
        fake.lead(1);
        fake.settle(5min);
        QCOMPARE(fake.left(), 9);
        QVERIFY(fake.stats().archive->error.contains(u"newer drover"));
        QVERIFY(fake.stats().archive->pausedSince.count() > 0);
    }

    // A master that may not keep 20,000 records, as it knows, but three.
    void theClustersSettingsAreNotTakenForTheDefaults()
    {
        WorkerCluster fake(2);
        ClusterConfig config;
        config.doneLimit = 3;
        fake.write(fake.layout.config(), config.encode());
        const Leading master(fake, 1);
        fake.settle(3s);
        config.doneLimit = 9;
        fake.write(fake.layout.config(), newer(config.encode()));
        for (int i = 0; i < 6; ++i)
            fake.end(fake.submit(), 0);
        fake.settle(10s);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 3); // as they were known last
        QVERIFY2(troublesIn(fake).join(u' ').contains(u"cluster's settings: "),
                 qPrintable(troublesIn(fake).join(u' ')));
    }

    void aNewMasterDeletesNothingByDefaults()
    {
        WorkerCluster fake(2);
        ClusterConfig config;
        config.doneLimit = 3;
        fake.write(fake.layout.config(), newer(config.encode()));
        for (int i = 0; i < 6; ++i)
            fake.end(fake.submit(), 0);
        const Leading master(fake, 1);
        fake.settle(10s);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 6);
        QCOMPARE(ClusterStats::decode(fake.node(fake.layout.stats()).data).done, 6);
    }

    void aQueueWithNewSettingsIsPausedAndLeftAlone()
    {
        JobCluster fake;
        const zk::Path queue = fake.layout.queue("default");
        fake.write(queue, newer(QueueSettings().encode()));
        const QueueSettings settings = QueueSettings::of(fake.node(queue).data);
        QVERIFY(settings.paused && settings.why.contains(u"version 3"));
        const QByteArray before = fake.node(queue).data;
        const auto change = [](QueueSettings &changed) { changed.paused = false; };
        QVERIFY_THROWS_EXCEPTION(WrongState, fake.run(changeQueue(Cluster(fake[0], fake.layout), "default", change)));
        QCOMPARE(fake.node(queue).data, before);
    }
};

QTEST_GUILESS_MAIN(NewerFormatTest)
#include "newer_format_test.moc"
