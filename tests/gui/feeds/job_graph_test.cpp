#include "gui/feeds_fixture.h"
#include "jobs/client/job_control.h"
#include "jobs/cluster/cluster_config.h"

#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using jobs::Dependency;
using jobs::JobId;
using jobs::JobSpec;
using jobs::QueueEntry;

namespace {

struct Fixture : test::FeedsFixture {
    Fixture() { fillAndOpen(); }

    jobs::Cluster writing() { return {*writer, cluster.layout()}; }
    // After such jobs, as "ok:default-8".
    JobId add(const QString &name, const QStringList &after = {}, const QString &heldBy = {})
    {
        JobSpec spec = test::SampleCluster::spec({u"true"_qs});
        spec.name = name;
        spec.after = jobs::dependenciesFrom(after);
        spec.notes.heldBy = heldBy;
        return run(cluster.addJob(spec));
    }
    QString after(const char *kind, const JobId &id) const { return QLatin1String(kind) + u':' + id.toString(); }

    JobGraph graphOf(const JobId &id)
    {
        QSignalSpy found(&console.actions(), &JobActions::neighboursFound);
        console.actions().findNeighbours(7, id);
        world.runFor(2s);
        return found.size() == 1 ? found[0][1].value<JobGraph>() : JobGraph();
    }
    // "fetch ok clean" where clean waits for fetch, and "fetch ok clean!" once it need not any more.
    static QStringList linesOf(const JobGraph &graph)
    {
        QStringList lines;
        for (const JobGraph::Arrow &arrow : graph.arrows)
            lines << QStringList{graph.nodes[std::size_t(arrow.before)].name,
                                 Dependency{arrow.kind, {}}.toString().section(u':', 0, 0),
                                 graph.nodes[std::size_t(arrow.after)].name + (arrow.isFulfilled ? u"!"_qs : QString())}
                         .join(u' ');
        lines.sort();
        return lines;
    }
    static std::optional<jobs::JobState> stateOf(const JobGraph &graph, const JobId &id)
    {
        for (const JobGraph::Node &node : graph.nodes) {
            if (node.id == id)
                return node.state;
        }
        qFatal("not drawn: %s", qPrintable(id.toString()));
    }
    // As the master does.
    void makeReady(const JobId &id)
    {
        const QueueEntry waiting{QueueEntry::Class::Waiting, QueueEntry::DefaultPriority, id.number};
        QueueEntry ready = waiting;
        ready.jobClass = QueueEntry::Class::Ready;
        const auto node = run(read(cluster.layout().job(id.queue, waiting)));
        zk::Transaction move;
        move.remove(cluster.layout().job(id.queue, waiting))
            .create(cluster.layout().job(id.queue, ready), JobSpec::markReady(node));
        run(commit(move));
    }
    async::Task<QByteArray> read(zk::Path path)
    {
        const zk::Answer<zk::Node> node = co_await writer->get(path);
        co_return node->data;
    }
    async::Task<void> commit(zk::Transaction transaction)
    {
        const zk::Answer<zk::Committed> done = co_await writer->commit(transaction);
        done.require();
    }
};

} // namespace

// Which jobs a job depends on, and which depend on it, from the nodes of a cluster in memory.
class JobGraphTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bothWaysAndOverSeveralLevels()
    {
        Fixture f;
        const JobId fetch = f.add(u"fetch"_qs);
        const JobId clean = f.add(u"clean"_qs, {f.after("ok", fetch)});
        const JobId train = f.add(u"train"_qs, {f.after("ok", clean), u"any:default-8"_qs, f.after("begun", fetch)});
        const JobId report = f.add(u"report"_qs, {f.after("any", train), u"ok:gpu-3"_qs});
        const JobId mail = f.add(u"mail"_qs, {f.after("fail", train)}, u"ada@engine"_qs);
        f.add(u"print"_qs, {f.after("ok", report)});
        f.add(u"else"_qs, {u"ok:default-8"_qs}); // beside it, not after it
        const JobGraph graph = f.graphOf(train);
        QCOMPARE(graph.nodes.front().id, train);
        QStringList names;
        for (const JobGraph::Node &node : graph.nodes)
            names << node.name;
        QCOMPARE(names.size(), 7);
        QVERIFY(!names.contains(u"else"_qs));
        QStringList lines = Fixture::linesOf(graph);
        lines.removeIf([](const QString &line) { return line.contains(u" any train"_qs); }); // of default-8
        QCOMPARE(lines,
                 (QStringList{u"clean ok train"_qs, u"fetch begun train"_qs, u"fetch ok clean"_qs,
                              u"report ok print"_qs, u"train any report"_qs, u"train fail mail"_qs}));
        QCOMPARE(Fixture::stateOf(graph, {"default", 8}), jobs::JobState::Running);
        QCOMPARE(Fixture::stateOf(graph, fetch), jobs::JobState::Ready);
        QCOMPARE(Fixture::stateOf(graph, clean), jobs::JobState::Waiting);
        QCOMPARE(Fixture::stateOf(graph, mail), jobs::JobState::Held);
        for (const JobGraph::Node &node : graph.nodes)
            QCOMPARE(node.others, node.id == report ? 1 : 0); // gpu-3 is beside the way
        QCOMPARE(graph.before + graph.after + graph.unread, 0);
    }

    // What has ended, and what has begun since, need no reading of its own to be seen.
    void itFollowsTheJobs()
    {
        Fixture f;
        const JobId fetch = f.add(u"fetch"_qs);
        const JobId clean = f.add(u"clean"_qs, {f.after("ok", fetch)});
        QCOMPARE(Fixture::linesOf(f.graphOf(fetch)), QStringList{u"fetch ok clean"_qs});
        f.run(f.cluster.claim(fetch, u"worker-3"_qs));
        f.run(f.cluster.finish(fetch, jobs::FinalRecord::Outcome::Exited, 0, {}));
        const auto unclaimed = f.writer->remove(f.cluster.layout().claim(fetch));
        f.world.runFor(1s);
        QCOMPARE(Fixture::linesOf(f.graphOf(fetch)), QStringList{u"fetch ok clean!"_qs});
        f.makeReady(clean);
        QCOMPARE(f.graphOf(fetch).nodes.size(), std::size_t(1)); // it does not wait for it any more
        const JobGraph graph = f.graphOf(clean); // but it did
        QCOMPARE(Fixture::linesOf(graph), QStringList{u"fetch ok clean!"_qs});
        QCOMPARE(Fixture::stateOf(graph, clean), jobs::JobState::Ready);
        QVERIFY(!graph.hasForgotten);
        QVERIFY(f.graphOf(fetch).hasForgotten); // a record has no dependencies
    }

    void whatIsNotDrawnIsCounted()
    {
        Fixture f;
        JobId last = f.add(u"first"_qs);
        QList<JobId> chain{last};
        for (int i = 0; i < 2 * JobGraph::MostLevels + 3; ++i)
            chain << f.add(u"link"_qs, {f.after("ok", chain.last())});
        const JobGraph along = f.graphOf(chain[JobGraph::MostLevels + 2]);
        QCOMPARE(along.nodes.size(), std::size_t(2 * JobGraph::MostLevels + 1));
        QCOMPARE(along.before, 1); // the next one: what that waits for is not looked up
        QCOMPARE(along.after, 1);

        const JobId root = f.add(u"root"_qs);
        constexpr auto Most = int(JobGraph::MostEachWay);
        for (int i = 0; i < Most + 20; ++i)
            last = f.add(u"waiter"_qs, {f.after("ok", root)});
        f.add(u"behind"_qs, {f.after("ok", last)});
        const JobGraph wide = f.graphOf(root);
        QCOMPARE(wide.nodes.size(), std::size_t(Most) + 1);
        QCOMPARE(wide.after, 21);

        QStringList many;
        for (int i = 0; i < Most + 5; ++i)
            many << f.after("any", f.add(u"one"_qs));
        const JobGraph deep = f.graphOf(f.add(u"all"_qs, many));
        QCOMPARE(deep.nodes.size(), std::size_t(Most) + 1);
        QCOMPARE(deep.before, 5);
        QCOMPARE(deep.nodes.front().others, 5);
    }

    void aJobThatNothingKnowsIsDrawnAsSuch()
    {
        Fixture f;
        const JobId waits = f.add(u"waits"_qs, {u"ok:default-4711"_qs});
        const JobGraph graph = f.graphOf(waits);
        QCOMPARE(graph.nodes.size(), std::size_t(2));
        QVERIFY(!Fixture::stateOf(graph, {"default", 4711}));
        QVERIFY(!graph.arrows.front().isFulfilled);
        QSignalSpy failed(&f.console.actions(), &JobActions::failed);
        f.console.actions().findNeighbours(8, {"default", 4711});
        f.world.runFor(1s);
        QCOMPARE(failed.size(), 1);
    }

    void aJobThatWasMovedIsDrawnWhereItIs()
    {
        Fixture f;
        const JobId fetch = f.add(u"fetch"_qs);
        const JobId clean = f.add(u"clean"_qs, {f.after("ok", fetch)});
        const jobs::JobChange moved = f.run(jobs::moveToQueue(f.writing(), fetch, "nightly", {}));
        const JobGraph graph = f.graphOf(clean);
        QCOMPARE(graph.nodes.size(), std::size_t(2));
        QCOMPARE(graph.nodes[1].id, moved.id);
        QCOMPARE(Fixture::stateOf(graph, moved.id), jobs::JobState::Ready);
        QCOMPARE(Fixture::linesOf(graph), QStringList{u"fetch ok clean"_qs});
        QCOMPARE(Fixture::linesOf(f.graphOf(fetch)), QStringList{u"fetch ok clean"_qs}); // by its id before
    }

    // Of another cluster of that name, in the same session, the same id is another job.
    void anotherClusterIsReadAnew()
    {
        Fixture f;
        const JobId one = f.add(u"one"_qs);
        const JobId other = f.add(u"other"_qs);
        const JobId waits = f.add(u"waits"_qs, {f.after("ok", one)});
        QCOMPARE(f.graphOf(one).nodes.size(), std::size_t(2));
        const zk::Path config = f.cluster.layout().config();
        const zk::Path node =
            f.cluster.layout().job("default", {QueueEntry::Class::Waiting, QueueEntry::DefaultPriority, waits.number});
        const QByteArray settings = f.run(f.read(config));
        JobSpec spec = test::SampleCluster::spec({u"true"_qs});
        spec.after = jobs::dependenciesFrom({f.after("ok", other)});
        zk::Transaction anew;
        anew.remove(config).remove(node).create(config, settings).create(node, spec.encode());
        f.run(f.commit(anew));
        QCOMPARE(f.graphOf(one).nodes.size(), std::size_t(1));
        QCOMPARE(f.graphOf(other).nodes.size(), std::size_t(2));
    }
};

QTEST_GUILESS_MAIN(JobGraphTest)
#include "job_graph_test.moc"
