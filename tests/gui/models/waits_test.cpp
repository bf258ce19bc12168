#include "gui/kit/layered_layout.h"
#include "gui/models/wait_graph.h"
#include "gui/models/wait_model.h"

#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using Kind = WaitGraph::Kind;

namespace {

LockRow contender(const QByteArray &lock, int place, zk::SessionId session, const QByteArray &about)
{
    return {lock, place, "lock-" + QByteArray::number(place).rightJustified(10, '0'), about, session, 1};
}

// p1 has alpha and wants limit gpu, which a job has that wants alpha.
QList<LockRow> circle()
{
    return {contender("alpha", 0, 1, "p1"), contender("alpha", 1, 2, "default-8"),
            contender("limit gpu", 0, 2, "default-8"), contender("limit gpu", 1, 1, "p1")};
}

const WaitGraph::Node *find(const WaitGraph &graph, const QString &title)
{
    for (const WaitGraph::Node &node : graph.nodes) {
        if (node.title == title)
            return &node;
    }
    return nullptr;
}

// "p1 > limit gpu", for each arrow.
QStringList arrowsOf(const WaitGraph &graph)
{
    QStringList arrows;
    for (const WaitGraph::Arrow &arrow : graph.arrows)
        arrows << graph.nodes[std::size_t(arrow.from)].title + (arrow.waits ? u" > "_qs : u" : "_qs)
                + graph.nodes[std::size_t(arrow.to)].title;
    arrows.sort();
    return arrows;
}

} // namespace

// The graph of waits and holders, and how a graph is laid out.
class WaitsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aCircleOverALockAndALimit()
    {
        WaitModel model;
        connect(&model, &WaitModel::confirmWanted, this,
                [&model](const QList<LockRow> &contenders) { model.confirm(contenders, contenders); });
        QSignalSpy found(&model, &WaitModel::found);
        const QList<LockRow> rows = circle();
        model.showLocks(rows.first(2));
        QCOMPARE(found.size(), 0);
        model.showOthers(rows.last(2));
        QCOMPARE(found.size(), 1);
        model.showOthers(rows.last(2)); // it is known
        QCOMPARE(found.size(), 1);
        QCOMPARE(model.deadlocks().size(), 1);
        QCOMPARE(model.waiters(), 2);
        const WaitGraph graph = WaitGraph::of(model.rows(), model.deadlocks(), 300);
        QCOMPARE(arrowsOf(graph),
                 (QStringList{u"default-8 > lock alpha"_qs, u"limit gpu : default-8"_qs, u"lock alpha : p1"_qs,
                              u"p1 > limit gpu"_qs}));
        for (const WaitGraph::Node &node : graph.nodes)
            QVERIFY2(node.isInCircle, qPrintable(node.title));
        for (const WaitGraph::Arrow &arrow : graph.arrows)
            QVERIFY(arrow.isInCircle);
        QCOMPARE(find(graph, u"default-8"_qs)->kind, Kind::Job);
        QCOMPARE(find(graph, u"p1"_qs)->kind, Kind::Process);
        QCOMPARE(find(graph, u"limit gpu"_qs)->kind, Kind::Limit);
        model.showOthers({});
        QVERIFY(model.deadlocks().isEmpty());
        model.showOthers(rows.last(2)); // it came again
        QCOMPARE(found.size(), 2);
    }

    // A lock, its holder, the command of that holder, and what this waits for.
    void theCommandOfAHolderIsPartOfThePicture()
    {
        const QList<LockRow> rows{contender("alpha", 0, 1, "p1"), contender("alpha", 1, 4, "p4; within 0x3"),
                                  contender("beta", 0, 3, "p3"), contender("beta", 1, 2, "p2; within 0x1")};
        const WaitGraph graph = WaitGraph::of(rows, findDeadlocks(rows), 300);
        QCOMPARE(arrowsOf(graph),
                 (QStringList{u"lock alpha : p1"_qs, u"lock beta : p3"_qs, u"p1 > p2"_qs, u"p2 > lock beta"_qs,
                              u"p3 > p4"_qs, u"p4 > lock alpha"_qs}));
        for (const WaitGraph::Node &node : graph.nodes)
            QVERIFY2(node.isInCircle, qPrintable(node.title));
        for (const WaitGraph::Arrow &arrow : graph.arrows)
            QVERIFY(arrow.isInCircle);
    }

    // The rows of two locks are of different moments.
    void aCircleIsCertainOnceItWasSeenAgain()
    {
        WaitModel model;
        QSignalSpy asked(&model, &WaitModel::confirmWanted);
        QSignalSpy found(&model, &WaitModel::found);
        const QList<LockRow> rows = circle();
        model.showLocks(rows);
        model.showLocks(rows);
        QCOMPARE(asked.size(), 1); // the answer is awaited
        QVERIFY(model.deadlocks().isEmpty());
        const auto evidence = asked[0][0].value<QList<LockRow>>();
        model.confirm(evidence, evidence.mid(1)); // one of them has let go
        QVERIFY(model.deadlocks().isEmpty());
        model.showLocks(rows); // and is not seen to have
        QCOMPARE(asked.size(), 2);
        model.confirm(evidence, evidence);
        QCOMPARE(model.deadlocks().size(), 1);
        QCOMPARE(found.size(), 1);
        model.showLocks(rows);
        QCOMPARE(asked.size(), 2);
        QList<LockRow> later = rows;
        later[0].czxid = 99; // let go, and came again
        model.showLocks(later);
        QVERIFY(model.deadlocks().isEmpty());
        QCOMPARE(asked.size(), 3);
        model.confirm(evidence, evidence); // of what is no more
        QVERIFY(model.deadlocks().isEmpty());
    }

    // The page draws its graph at each change.
    void allCirclesOfAReadingAreOneChange()
    {
        WaitModel model;
        QSignalSpy asked(&model, &WaitModel::confirmWanted);
        QSignalSpy found(&model, &WaitModel::found);
        QSignalSpy changed(&model, &WaitModel::changed);
        QList<LockRow> rows;
        for (int i = 0; i < 5; ++i) {
            const QByteArray one = "one" + QByteArray::number(i);
            const QByteArray other = "other" + QByteArray::number(i);
            rows += {contender(one, 0, 2 * i + 1, "p"), contender(one, 1, 2 * i + 2, "p"),
                     contender(other, 0, 2 * i + 2, "p"), contender(other, 1, 2 * i + 1, "p")};
        }
        model.showLocks(rows);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(asked.size(), 1);
        const auto evidence = asked[0][0].value<QList<LockRow>>();
        QCOMPARE(evidence.size(), 20);
        QList<LockRow> present = evidence;
        present.removeIf([](const LockRow &row) { return row.lock == "one3"; }); // let go meanwhile
        model.confirm(evidence, present);
        QCOMPARE(model.deadlocks().size(), 4);
        QCOMPARE(found.size(), 1);
        QCOMPARE(found[0][0].value<QList<Deadlock>>().size(), 4);
        QCOMPARE(changed.size(), 2);
        rows.removeIf([](const LockRow &row) { return row.lock == "one3"; });
        model.showLocks(rows);
        QCOMPARE(changed.size(), 3);
        model.showOthers({}); // which are published with the locks, and are as before
        model.showFound({});
        QCOMPARE(changed.size(), 3);
        QCOMPARE(asked.size(), 1);
        QCOMPARE(model.deadlocks().size(), 4);
    }

    void aLockWithoutWaitersIsLeftOut()
    {
        const WaitGraph graph = WaitGraph::of({contender("alone", 0, 1, "p1"), {"free", -1, {}, {}, 0, 0}}, {}, 300);
        QVERIFY(graph.nodes.empty());
        QCOMPARE(graph.left, 0);
    }

    // Of thousands of waits a picture has 300 nodes, the circle among them.
    void thousandsOfWaitsAreSummarised()
    {
        QList<LockRow> rows;
        for (int lock = 0; lock < 1000; ++lock) {
            const QByteArray name = "lock-" + QByteArray::number(lock);
            for (int place = 0; place < 30; ++place)
                rows.append(contender(name, place, 10'000 + lock * 100 + place, "p" + QByteArray::number(place)));
        }
        rows += circle();
        const QList<Deadlock> deadlocks = findDeadlocks(rows);
        QCOMPARE(deadlocks.size(), 1);
        const WaitGraph graph = WaitGraph::of(rows, deadlocks, 300);
        QVERIFY(graph.nodes.size() <= 300 && graph.nodes.size() > 250);
        QVERIFY(graph.left > 900);
        QVERIFY(find(graph, u"lock alpha"_qs) && find(graph, u"limit gpu"_qs));
        QVERIFY(find(graph, u"21 more"_qs));
    }

    void layersLeadForward()
    {
        // 0 > 1 > 2 > 3 and 0 > 3; 4 alone
        const LayeredLayout chain = LayeredLayout::of(5, {{0, 1}, {1, 2}, {2, 3}, {0, 3}});
        QCOMPARE(chain.columns, 4);
        for (int i = 0; i < 4; ++i)
            QCOMPARE(chain.places[std::size_t(i)].column, i);
        QCOMPARE(chain.places[4].column, 0);
        QVERIFY(chain.places[4].row != chain.places[0].row);
        const LayeredLayout ring = LayeredLayout::of(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
        QCOMPARE(ring.columns, 4); // one arrow leads back
        QVERIFY(LayeredLayout::of(0, {}).places.empty());
        QCOMPARE(LayeredLayout::of(1, {{0, 0}}).columns, 1);
    }

    void neighboursStandBesideEachOther()
    {
        // Two pairs whose partners were listed crosswise, both before node 4.
        const LayeredLayout pairs = LayeredLayout::of(5, {{0, 3}, {1, 2}, {3, 4}, {2, 4}});
        QCOMPARE(pairs.places[0].row, pairs.places[3].row);
        QCOMPARE(pairs.places[1].row, pairs.places[2].row);
        QCOMPARE(pairs.places[4].row, 0.5); // in the middle
    }

    // An arrow that closes a circle would cross what has nothing to do with it.
    void partsStandBelowEachOther()
    {
        const LayeredLayout parts = LayeredLayout::of(5, {{0, 1}, {1, 0}, {2, 3}, {4, 3}});
        QCOMPARE(parts.places[0].row, 0.0);
        QCOMPARE(parts.places[1].lastRow, 0.0);
        for (const int node : {2, 3, 4})
            QVERIFY(parts.places[std::size_t(node)].row > 1.5);
        QVERIFY(parts.places[2].row != parts.places[4].row);
        QCOMPARE(parts.places[3].lastRow, parts.places[4].row);
    }

    void aLongChainNeedsNoStack()
    {
        std::vector<std::pair<int, int>> arrows;
        for (int i = 0; i + 1 < 100'000; ++i)
            arrows.emplace_back(i, i + 1);
        QCOMPARE(LayeredLayout::of(100'000, arrows).columns, 100'000);
    }
};

QTEST_GUILESS_MAIN(WaitsTest)
#include "waits_test.moc"
