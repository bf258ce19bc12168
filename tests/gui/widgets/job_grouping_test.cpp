#include "gui/models/job_filter.h"
#include "gui/models/job_model.h"
#include "gui/pictures.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/tone_delegate.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using jobs::JobId;
using jobs::JobState;

namespace {

JobRow job(const QByteArray &queue, qint32 number, const QString &name, const QString &user, const QStringList &tags)
{
    JobRow row;
    row.id = {queue, number};
    row.state = JobState::Ready;
    row.loaded = true;
    row.name = name;
    row.command = QStringList{u"python3"_qs, name + u".py"_qs};
    row.submitter = user;
    row.tags = tags;
    return row;
}

struct Fixture {
    JobModel model;
    JobPane pane{model};
    QAbstractItemModelTester tester{pane.table().model(), QAbstractItemModelTester::FailureReportingMode::Fatal};
    JobsSnapshot snapshot;

    Fixture()
    {
        pane.resize(1000, 420);
        pane.show();
        snapshot.clusterExists = true;
        snapshot.rows = {job("gpu", 1, u"train"_qs, u"ada@a"_qs, {u"night"_qs}),
                         job("default", 4, u"sweep"_qs, u"bob@b"_qs, {}),
                         job("gpu", 2, u"sweep"_qs, u"ada@b"_qs, {u"day"_qs, u"night"_qs}),
                         job("default", 3, u"train"_qs, u"ada@a"_qs, {u"night"_qs}),
                         job("default", 4, u"sweep"_qs, u"bob@b"_qs, {})};
        snapshot.rows.back().id.task = 7; // of the array default-4
        show();
        pane.table().sortByColumn(JobModel::Id, Qt::AscendingOrder);
    }
    void show(qint64 notInTheTable = 0)
    {
        snapshot.ready = snapshot.rows.size();
        snapshot.ended = notInTheTable;
        model.show(snapshot);
        QCoreApplication::processEvents(); // the layout follows
    }
    QAbstractItemModel &rows() { return *pane.table().model(); }
    QString idAt(int row) { return rows().index(row, JobModel::Id).data().toString(); }
    // "[gpu: 2 jobs] gpu-1 gpu-2"
    QString shown()
    {
        QStringList words;
        for (int row = 0; row < rows().rowCount(); ++row) {
            const QModelIndex index = rows().index(row, 0);
            if (index.data(GroupRole).isValid())
                words << u"[%1: %2]"_qs.arg(index.data(GroupRole).toString(), index.data(GroupSizeRole).toString());
            words << idAt(row);
        }
        return words.join(u' ');
    }
    QString selected()
    {
        QStringList ids;
        const QModelIndexList indexes = pane.table().selectionModel()->selectedRows(JobModel::Id);
        for (const QModelIndex &index : indexes)
            ids << index.data().toString();
        ids.sort();
        return ids.join(u' ');
    }
    QRect placeOf(int row, int column = 0)
    {
        QCoreApplication::processEvents();
        return pane.table().visualRect(rows().index(row, column));
    }
    int heightOf(int row) { return placeOf(row).height(); }
    QPoint titleOf(int row) { return placeOf(row).topLeft() + QPoint(60, 8); }
    void click(const QPoint &place, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mouseClick(pane.table().viewport(), Qt::LeftButton, modifiers, place);
    }
};

} // namespace

// The jobs of the table in groups, each with a title.
class JobGroupingTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { applyTheme(ThemeChoice::Light); }

    void groupsByWhatIsChosen()
    {
        Fixture f;
        QCOMPARE(f.shown(), u"default-3 default-4 gpu-1 gpu-2"_qs);
        f.pane.group(Grouping::Queue);
        QCOMPARE(f.shown(), u"[default: 2 jobs] default-3 default-4 [gpu: 2 jobs] gpu-1 gpu-2"_qs);
        QCOMPARE(f.rows().index(2, 0).data(Qt::AccessibleDescriptionRole).toString(),
                 u"The first job of the group gpu: 2 jobs"_qs);
        f.pane.group(Grouping::Name);
        QCOMPARE(f.shown(), u"[sweep: 2 jobs] default-4 gpu-2 [train: 2 jobs] default-3 gpu-1"_qs);
        f.pane.group(Grouping::Tag); // the first one
        QCOMPARE(f.shown(), u"[day: 1 job] gpu-2 [night: 2 jobs] default-3 gpu-1 [no tag: 1 job] default-4"_qs);
        f.pane.group(Grouping::User); // on whichever machine
        QCOMPARE(f.shown(), u"[ada: 3 jobs] default-3 gpu-1 gpu-2 [bob: 1 job] default-4"_qs);
        f.pane.group(Grouping::None);
        QCOMPARE(f.shown(), u"default-3 default-4 gpu-1 gpu-2"_qs);
    }

    // The groups stay in their order, whatever the table is sorted by.
    void jobsAreSortedWithinTheirGroup()
    {
        Fixture f;
        f.pane.group(Grouping::User);
        f.pane.table().sortByColumn(JobModel::Id, Qt::DescendingOrder);
        QCOMPARE(f.shown(), u"[ada: 3 jobs] gpu-2 gpu-1 default-3 [bob: 1 job] default-4"_qs);
        f.pane.table().sortByColumn(JobModel::Name, Qt::AscendingOrder);
        QVERIFY2(f.shown().startsWith(u"[ada: 3 jobs] gpu-2 "_qs), qPrintable(f.shown()));
    }

    void anOpenArrayKeepsItsTasks()
    {
        Fixture f;
        f.pane.group(Grouping::Queue);
        f.pane.table().setCurrentIndex(f.rows().index(1, JobModel::Id));
        QTest::keyClick(&f.pane.table(), Qt::Key_Right);
        QCOMPARE(f.shown(), u"[default: 2 jobs] default-3 default-4 default-4.7 [gpu: 2 jobs] gpu-1 gpu-2"_qs);
    }

    void followsWhatChanges()
    {
        Fixture f;
        f.pane.group(Grouping::Queue);
        f.snapshot.rows.append(job("gpu", 0, u"first"_qs, u"eve@c"_qs, {}));
        f.snapshot.rows.removeAt(3);
        f.show();
        QCOMPARE(f.shown(), u"[default: 1 job] default-4 [gpu: 3 jobs] gpu-0 gpu-1 gpu-2"_qs);
        QVERIFY(f.heightOf(1) > f.heightOf(2)); // the title has gone to another row
        QCOMPARE(f.heightOf(2), f.heightOf(3));
        f.pane.findChild<QLineEdit *>()->setText(u"train"_qs);
        QCOMPARE(f.shown(), u"[gpu: 1 job] gpu-1"_qs);
    }

    // A row begins a group without a change of its own, and without one of the order.
    void titlesFollowTheRowBefore()
    {
        Fixture f;
        f.pane.group(Grouping::Tag);
        QCOMPARE(f.shown(), u"[day: 1 job] gpu-2 [night: 2 jobs] default-3 gpu-1 [no tag: 1 job] default-4"_qs);
        f.snapshot.rows[3].tags = QStringList{u"morning"_qs}; // default-3
        f.show();
        QCOMPARE(f.shown(),
                 u"[day: 1 job] gpu-2 [morning: 1 job] default-3 [night: 1 job] gpu-1 [no tag: 1 job] default-4"_qs);
        for (int row = 1; row < 4; ++row)
            QCOMPARE(f.heightOf(row), f.heightOf(0));
        f.snapshot.rows[3].tags = QStringList{u"night"_qs};
        f.show();
        QVERIFY(f.heightOf(2) < f.heightOf(1));
    }

    // What has no row is in no group, and the window says so.
    void saysHowMuchIsGrouped()
    {
        Fixture f;
        f.show(1'000'000);
        const auto says = [&f](const QString &words) {
            const QList<QLabel *> labels = f.pane.findChildren<QLabel *>();
            return std::any_of(labels.begin(), labels.end(),
                               [&](const QLabel *label) { return label->text().contains(words); });
        };
        QVERIFY(!says(u"grouped"_qs));
        f.pane.group(Grouping::Queue);
        QVERIFY(says(u"only the 5 in the table are grouped"_qs));
        QVERIFY2(f.shown().startsWith(u"[default: 2 jobs in the table]"_qs), qPrintable(f.shown()));
        f.show();
        QVERIFY(!says(u"grouped"_qs));
        QVERIFY2(f.shown().startsWith(u"[default: 2 jobs]"_qs), qPrintable(f.shown()));
    }

    void aClickOnATitleSelectsItsGroup()
    {
        Fixture f;
        QSignalSpy opened(&f.pane, &JobPane::detailsWanted);
        f.pane.group(Grouping::User);
        f.click(f.titleOf(0));
        QCOMPARE(f.selected(), u"default-3 gpu-1 gpu-2"_qs);
        f.click(f.titleOf(3), Qt::ControlModifier);
        QCOMPARE(f.selected(), u"default-3 default-4 gpu-1 gpu-2"_qs);
        f.click(f.titleOf(3));
        QCOMPARE(f.selected(), u"default-4"_qs);
        QTest::mouseDClick(f.pane.table().viewport(), Qt::LeftButton, {}, f.titleOf(0));
        QCOMPARE(opened.size(), 0);
        f.click(f.placeOf(1).center());
        QCOMPARE(f.selected(), u"gpu-1"_qs);
    }

    void aHandThatTremblesDoesNotDrag()
    {
        Fixture f;
        f.pane.group(Grouping::User);
        QWidget &viewport = *f.pane.table().viewport();
        f.click(f.placeOf(3).center());
        const QPoint place = f.titleOf(0);
        QTest::mousePress(&viewport, Qt::LeftButton, {}, place);
        QMouseEvent move(QEvent::MouseMove, place + QPoint(2, 1), viewport.mapToGlobal(place + QPoint(2, 1)),
                         Qt::NoButton, Qt::LeftButton, {});
        QCoreApplication::sendEvent(&viewport, &move);
        QTest::mouseRelease(&viewport, Qt::LeftButton, {}, place + QPoint(2, 1));
        QCOMPARE(f.selected(), u"default-3 gpu-1 gpu-2"_qs);
    }

    // Above the arrow that opens an array.
    void aTitleOpensNoArray()
    {
        Fixture f;
        f.pane.group(Grouping::User);
        QCOMPARE(f.idAt(3), u"default-4"_qs);
        const QRect cell = f.placeOf(3, JobModel::Id);
        f.click(cell.topLeft() + QPoint(4, 8));
        QCOMPARE(f.rows().rowCount(), 4);
        f.click(cell.bottomLeft() + QPoint(4, -8));
        QCOMPARE(f.rows().rowCount(), 5);
    }

    void theTitleStandsAboveItsFirstRow()
    {
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            applyTheme(theme);
            Fixture f;
            const int plain = f.heightOf(0);
            f.pane.group(Grouping::Queue);
            const int title = f.heightOf(0) - plain;
            QVERIFY(title > f.pane.fontMetrics().height());
            QCOMPARE(f.heightOf(1), plain);
            QCOMPARE(f.heightOf(2), plain + title);
            f.pane.table().setCurrentIndex(f.rows().index(2, 0));
            const QImage picture = test::pictureOf(*f.pane.table().viewport(), u"grouping-%1"_qs.arg(int(theme)));
            // The colour of the selection begins below the title.
            const QColor selection = f.pane.palette().color(QPalette::Highlight);
            const QRect row = f.placeOf(2);
            QCOMPARE(test::pixelsOf(picture.copy(0, row.top(), picture.width(), title), selection), 0);
            QVERIFY(test::pixelsOf(picture.copy(0, row.top() + title, picture.width(), plain), selection) > 1000);
            f.pane.group(Grouping::None);
            QCOMPARE(f.heightOf(0), plain);
        }
    }
};

QTEST_MAIN(JobGroupingTest)
#include "job_grouping_test.moc"
