#include "gui/models/znode_model.h"

#include <QAbstractItemModelTester>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTest>
#include <QTextDocument>

#include <limits>

using namespace drover;
using namespace drover::gui;

class ZnodeModelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void beginsWithTheRoot();
    void showsLoadingUntilListed();
    void followsAnyListing();
    void revealsBigDirectoriesInSlices();
    void growsWithWhatItShows();
    void revealsAllInTheEnd();
    void keepsItsPlacesInALayoutOfManyChanges();
    void saysWhyThereIsNothing();
    void closingForgets();
    void ignoresNewsOfWhatIsNotThere();
    void asksForStatsOnceInABatch();
    void marksEphemeralNodes();
    void toolTipsShowHtmlAsItIsWritten();
};

namespace {

constexpr auto Fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

const zk::Path Root;

ZnodeListing listing(const zk::Path &path, const QByteArrayList &names)
{
    ZnodeListing listing{path, NodeCondition::Ok, names, {}};
    std::sort(listing.names.begin(), listing.names.end());
    listing.stat.numChildren = qint32(names.size());
    return listing;
}

QByteArrayList numbered(int count)
{
    QByteArrayList names;
    for (int i = 0; i < count; ++i)
        names.append("n-" + QByteArray::number(i).rightJustified(10, '0'));
    return names;
}

QStringList childNames(const QAbstractItemModel &model, const QModelIndex &parent)
{
    QStringList names;
    for (int row = 0; row < model.rowCount(parent); ++row)
        names.append(model.index(row, 0, parent).data().toString());
    return names;
}

} // namespace

void ZnodeModelTest::beginsWithTheRoot()
{
    ZnodeModel model;
    const QAbstractItemModelTester tester(&model, Fatal);
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.index(0, 0).data().toString(), u"/"_qs);
    QVERIFY(model.hasChildren(model.index(0, 0))); // not yet known
}

void ZnodeModelTest::showsLoadingUntilListed()
{
    ZnodeModel model;
    const QAbstractItemModelTester tester(&model, Fatal);
    QSignalSpy wanted(&model, &ZnodeModel::openWanted);
    const QModelIndex root = model.index(0, 0);
    model.open(root);
    QCOMPARE(wanted.count(), 1);
    QCOMPARE(childNames(model, root), QStringList{u"Loading…"_qs});
    model.open(root);
    QCOMPARE(wanted.count(), 1);
    model.showListing(listing(Root, {"b", "a"}));
    QCOMPARE(childNames(model, root), (QStringList{u"a"_qs, u"b"_qs}));
    QCOMPARE(*model.pathOf(model.index(1, 0, root)), zk::Path("/b"));
    QCOMPARE(model.indexOf(zk::Path("/b")), model.index(1, 0, root));
}

void ZnodeModelTest::followsAnyListing()
{
    ZnodeModel model;
    const QAbstractItemModelTester tester(&model, Fatal);
    const QModelIndex root = model.index(0, 0);
    model.open(root);
    QRandomGenerator random(11);
    for (int round = 0; round < 300; ++round) {
        QByteArrayList names;
        QStringList expected;
        for (int i = 10; i < 50; ++i) {
            if (random.bounded(2) == 0) {
                names.append(QByteArray::number(i));
                expected.append(QString::number(i));
            }
        }
        const bool hasThirty = model.indexOf(zk::Path("/30")).isValid();
        const QPersistentModelIndex thirty = model.indexOf(zk::Path("/30"));
        model.showListing(listing(Root, names));
        QCOMPARE(childNames(model, root), expected);
        if (hasThirty && names.contains("30"))
            QCOMPARE(QModelIndex(thirty), model.indexOf(zk::Path("/30")));
    }
}

void ZnodeModelTest::revealsBigDirectoriesInSlices()
{
    ZnodeModel model;
    const QAbstractItemModelTester tester(&model, Fatal);
    const QModelIndex root = model.index(0, 0);
    model.open(root);
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    model.showListing(listing(Root, numbered(312'763)));
    QCOMPARE(model.rowCount(root), ZnodeModel::SliceSize + 1);
    const QModelIndex more = model.index(ZnodeModel::SliceSize, 0, root);
    QVERIFY(more.data(ZnodeModel::MoreRole).toBool());
    QCOMPARE(more.data().toString(), u"%1 more…"_qs.arg(QLocale().toString(311763)));
    QVERIFY(!model.pathOf(more));
    model.revealMore(more);
    QCOMPARE(model.rowCount(root), 2 * ZnodeModel::SliceSize + 1);
    QCOMPARE(inserted.count(), 2); // one range each
    model.revealMore(model.index(0, 0, root)); // not that row
    QCOMPARE(model.rowCount(root), 2 * ZnodeModel::SliceSize + 1);
}

void ZnodeModelTest::growsWithWhatItShows()
{
    ZnodeModel model;
    const QAbstractItemModelTester tester(&model, Fatal);
    const QModelIndex root = model.index(0, 0);
    model.open(root);
    model.showListing(listing(Root, numbered(990)));
    QCOMPARE(model.rowCount(root), 990);
    model.showListing(listing(Root, numbered(1500)));
    QCOMPARE(model.rowCount(root), 1500); // it was shown to its end, and still is
    model.showListing(listing(Root, numbered(9000)));
    QCOMPARE(model.rowCount(root), 2501); // but by one slice at a time
    model.showListing(listing(Root, numbered(3)));
    QCOMPARE(model.rowCount(root), 3);
}

void ZnodeModelTest::revealsAllInTheEnd()
{
    ZnodeModel model;
    const QAbstractItemModelTester tester(&model, Fatal);
    const QModelIndex root = model.index(0, 0);
    model.open(root);
    model.showListing(listing(Root, numbered(25'000)));
    QVERIFY(model.revealChild(zk::Path("/n-0000001500")));
    QCOMPARE(model.rowCount(root), 1502);
    QVERIFY(!model.revealChild(zk::Path("/n-0000001500/x")));
    QVERIFY(!model.revealChild(zk::Path("/n-")));
    int slices = 0;
    while (model.revealSome())
        ++slices;
    QCOMPARE(slices, 3);
    QCOMPARE(model.rowCount(root), 25'000);
    model.showListing(listing(Root, numbered(312'763)));
    while (model.revealSome()) { }
    QCOMPARE(model.rowCount(root), 200'001); // and "112,763 more…"
}

// Every other node goes and as many come: that is one change of the layout, and what was selected stays what it was.
void ZnodeModelTest::keepsItsPlacesInALayoutOfManyChanges()
{
    ZnodeModel model;
    const QAbstractItemModelTester tester(&model, Fatal);
    const QModelIndex root = model.index(0, 0);
    model.open(root);
    model.showListing(listing(Root, numbered(1000)));
    model.open(model.index(1, 0, root));
    model.showListing(listing(zk::Path("/n-0000000001"), {"child"}));
    const QPersistentModelIndex below = model.indexOf(zk::Path("/n-0000000001/child"));
    const QPersistentModelIndex goes = model.indexOf(zk::Path("/n-0000000001"));
    const QPersistentModelIndex stays = model.indexOf(zk::Path("/n-0000000500"));
    QByteArrayList next;
    QStringList expected;
    for (int i = 0; i < 1000; i += 2) {
        for (const char *const end : {"", "x"})
            next.append("n-" + QByteArray::number(i).rightJustified(10, '0') + end);
    }
    std::sort(next.begin(), next.end());
    for (const QByteArray &name : next)
        expected.append(QString::fromUtf8(name));
    QSignalSpy layouts(&model, &QAbstractItemModel::layoutChanged);
    QSignalSpy removed(&model, &QAbstractItemModel::rowsRemoved);
    model.showListing(listing(Root, next));
    QCOMPARE(layouts.count(), 1);
    QCOMPARE(removed.count(), 0);
    QCOMPARE(childNames(model, root), expected);
    QVERIFY(!goes.isValid() && !below.isValid());
    QCOMPARE(QModelIndex(stays), model.indexOf(zk::Path("/n-0000000500")));
}

void ZnodeModelTest::saysWhyThereIsNothing()
{
    ZnodeModel model;
    const QAbstractItemModelTester tester(&model, Fatal);
    const QModelIndex root = model.index(0, 0);
    model.open(root);
    model.showListing({Root, NodeCondition::Denied, {}, {}});
    QCOMPARE(childNames(model, root), QStringList{u"No permission to list it"_qs});
    model.showListing({Root, NodeCondition::Missing, {}, {}});
    QCOMPARE(childNames(model, root), QStringList{u"It no longer exists"_qs});
    model.showListing(listing(Root, {}));
    QCOMPARE(model.rowCount(root), 0);
    QVERIFY(!model.hasChildren(root));
    model.showListing(listing(Root, {"a"}));
    QCOMPARE(childNames(model, root), QStringList{u"a"_qs});
}

void ZnodeModelTest::closingForgets()
{
    ZnodeModel model;
    const QAbstractItemModelTester tester(&model, Fatal);
    QSignalSpy closed(&model, &ZnodeModel::closeWanted);
    model.open(model.index(0, 0));
    model.showListing(listing(Root, {"a"}));
    model.open(model.indexOf(zk::Path("/a")));
    model.showListing(listing(zk::Path("/a"), {"b"}));
    model.close(model.index(0, 0));
    QCOMPARE(closed.count(), 2); // the open child as well
    QCOMPARE(model.rowCount(model.index(0, 0)), 0);
    QVERIFY(model.hasChildren(model.index(0, 0)));
    model.showListing(listing(Root, {"late"}));
    QCOMPARE(model.rowCount(model.index(0, 0)), 0);
}

void ZnodeModelTest::ignoresNewsOfWhatIsNotThere()
{
    ZnodeModel model;
    const QAbstractItemModelTester tester(&model, Fatal);
    model.showListing(listing(zk::Path("/x/y"), {"a"}));
    model.showStats({{zk::Path("/x"), NodeCondition::Ok, {}}, {zk::Path("/"), NodeCondition::Missing, {}}});
    QCOMPARE(model.rowCount(model.index(0, 0)), 0);
}

void ZnodeModelTest::asksForStatsOnceInABatch()
{
    ZnodeModel model;
    QSignalSpy wanted(&model, &ZnodeModel::statsWanted);
    const QModelIndex root = model.index(0, 0);
    model.open(root);
    model.showListing(listing(Root, numbered(500)));
    for (int paint = 0; paint < 3; ++paint) {
        for (int row = 0; row < 30; ++row)
            model.index(row, ZnodeModel::ChildCount, root).data();
    }
    QTRY_COMPARE_WITH_TIMEOUT(wanted.count(), 1, 30'000);
    QCOMPARE(wanted[0][0].value<QList<zk::Path>>().size(), 30);
}

void ZnodeModelTest::marksEphemeralNodes()
{
    ZnodeModel model;
    const QAbstractItemModelTester tester(&model, Fatal);
    const QModelIndex root = model.index(0, 0);
    model.open(root);
    model.showListing(listing(Root, {"a", "b"}));
    zk::Stat stat;
    stat.ephemeralOwner = 0x1234;
    zk::Stat parent;
    parent.numChildren = 1200;
    model.showStats({{zk::Path("/a"), NodeCondition::Ok, stat}, {zk::Path("/b"), NodeCondition::Ok, parent}});
    QVERIFY(model.index(0, 0, root).data(ZnodeModel::EphemeralRole).toBool());
    QVERIFY(!model.index(1, 0, root).data(ZnodeModel::EphemeralRole).toBool());
    QVERIFY(!model.hasChildren(model.index(0, 0, root)));
    QCOMPARE(model.index(1, ZnodeModel::ChildCount, root).data().toString(), QLocale().toString(1200));
    QVERIFY(model.index(0, 0, root).data(Qt::ToolTipRole).toString().contains(u"session 0x1234"_qs));
    stat.ephemeralOwner = std::numeric_limits<zk::SessionId>::min();
    model.showStats({{zk::Path("/a"), NodeCondition::Ok, stat}});
    const QModelIndex container = model.index(0, 0, root);
    QVERIFY(!container.data(ZnodeModel::EphemeralRole).toBool());
    QVERIFY(!container.data(ToneRole).isValid());
    const QString tip = container.data(Qt::ToolTipRole).toString();
    QVERIFY2(tip.contains(u"a container"_qs) && !tip.contains(u"session"_qs), qPrintable(tip));
}

void ZnodeModelTest::toolTipsShowHtmlAsItIsWritten()
{
    const QByteArray html = "<h1>all is well<img src='x'>";
    ZnodeModel model;
    model.open(model.index(0, 0));
    model.showListing(listing(Root, {html}));
    const QModelIndex node = model.indexOf(Root / html);
    for (const zk::SessionId owner : {0, 0x10}) {
        ZnodeStat stat{Root / html, NodeCondition::Ok, {}};
        stat.stat.ephemeralOwner = owner;
        model.showStats({stat});
        const QString tip = node.data(Qt::ToolTipRole).toString();
        QVERIFY(Qt::mightBeRichText(tip));
        QTextDocument document;
        document.setHtml(tip);
        QVERIFY2(document.toPlainText().contains(QString::fromUtf8(html)), qPrintable(tip));
    }
}

QTEST_GUILESS_MAIN(ZnodeModelTest)
#include "znode_model_test.moc"
