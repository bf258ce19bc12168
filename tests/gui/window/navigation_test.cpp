#include "gui/pictures.h"
#include "gui/shell/command_palette.h"
#include "gui/shell/page.h"
#include "gui/shell/shell.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/znode_tree.h"
#include "gui/window_fixture.h"

#include <QAction>
#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <QTreeWidget>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using Kind = EntityRef::Kind;

namespace {

struct Fixture : test::WindowFixture {
    Shell *shell = window.findChild<Shell *>();

    Fixture() { window.activateWindow(); }

    QString page() const { return shell->current()->name(); }
    EntityRef selection() const { return shell->current()->selection(); }
    TableView &table(const QString &name) const { return *shell->find(name)->findChild<TableView *>(); }
    // The row whose first text has this in it.
    QModelIndex cell(const QString &of, int column, const QString &text, int textColumn) const
    {
        const QAbstractItemModel &model = *table(of).model();
        for (int row = 0; row < model.rowCount(); ++row) {
            if (model.index(row, textColumn).data().toString() == text)
                return model.index(row, column);
        }
        return {};
    }
    void press(Qt::Key key) { QTest::keyClick(&window, key, Qt::AltModifier); }
    // What the palette offers for that, besides actions.
    QStringList found(const QString &typed)
    {
        window.findChild<QAction *>(u"window.commands"_qs)->trigger();
        auto *const palette = window.findChild<CommandPalette *>();
        palette->findChild<QLineEdit *>()->setText(typed);
        QStringList labels;
        const auto *const list = palette->findChild<QTreeWidget *>();
        for (int i = 0; i < list->topLevelItemCount(); ++i) {
            if (!list->topLevelItem(i)->data(0, Qt::UserRole).value<QAction *>())
                labels << list->topLevelItem(i)->text(0);
        }
        return labels;
    }
    void enter() { QTest::keyClick(window.findChild<CommandPalette *>()->findChild<QLineEdit *>(), Qt::Key_Return); }
};

} // namespace

// From one thing of the cluster to another, and back.
class NavigationTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aCellLeadsToWhatItNames()
    {
        Fixture f;
        f.window.showPage(u"jobs"_qs);
        TableView &jobs = f.table(u"jobs"_qs);
        const QModelIndex worker = f.cell(u"jobs"_qs, JobModel::Worker, u"default-8"_qs, JobModel::Id);
        QCOMPARE(worker.data().toString(), u"worker-3"_qs);
        test::pictureOf(f.window, u"before-a-link"_qs); // rows get their places
        QTest::mouseClick(jobs.viewport(), Qt::LeftButton, Qt::ControlModifier, jobs.visualRect(worker).center());
        QCOMPARE(f.page(), u"workers"_qs);
        QCOMPARE(f.selection(), (EntityRef{Kind::Worker, "worker-3"}));
        QVERIFY(f.table(u"workers"_qs).hasFocus());

        TableView &workers = f.table(u"workers"_qs);
        const QModelIndex slots_ = workers.currentIndex().siblingAtColumn(WorkerModel::Running);
        test::pictureOf(f.window, u"a-link-to-a-worker"_qs);
        QTest::mouseClick(workers.viewport(), Qt::LeftButton, Qt::ControlModifier, workers.visualRect(slots_).center());
        QCOMPARE(f.page(), u"jobs"_qs);
        QCOMPARE(f.selection(), (EntityRef{Kind::Job, "default-8"}));
    }

    // The second click found the row selected, and took it out of the selection.
    void ctrlDoesNotTakeTheGoalOutOfTheSelection()
    {
        Fixture f;
        f.window.showPage(u"jobs"_qs);
        test::pictureOf(f.window, u"before-two-links"_qs); // rows get their places
        TableView &jobs = f.table(u"jobs"_qs);
        for (int time = 0; time < 2; ++time) {
            f.window.showPage(u"jobs"_qs);
            const QModelIndex worker = f.cell(u"jobs"_qs, JobModel::Worker, u"default-8"_qs, JobModel::Id);
            QTest::mouseClick(jobs.viewport(), Qt::LeftButton, Qt::ControlModifier, jobs.visualRect(worker).center());
            QCOMPARE(f.page(), u"workers"_qs);
            QCOMPARE(f.table(u"workers"_qs).selectionModel()->selectedRows().size(), 1);
        }
    }

    // By the keyboard alone.
    void enterFollowsACell()
    {
        Fixture f;
        QVERIFY(QTest::qWaitForWindowActive(&f.window));
        f.shell->goToEntity({Kind::Job, "default-8"});
        TableView &jobs = f.table(u"jobs"_qs);
        QVERIFY(jobs.hasFocus());
        const QModelIndexList selected = jobs.selectionModel()->selectedRows();
        QTest::keyClick(&jobs, Qt::Key_Right);
        QCOMPARE(jobs.currentIndex().column(), int(JobModel::Worker));
        QCOMPARE(jobs.selectionModel()->selectedRows(), selected);
        QTest::keyClick(&jobs, Qt::Key_Left); // back to the row
        QCOMPARE(jobs.currentIndex().column(), 0);
        QTest::keyClick(&jobs, Qt::Key_Right);
        test::pictureOf(f.window, u"link-by-keyboard"_qs);
        QTest::keyClick(&jobs, Qt::Key_Return);
        QCOMPARE(f.page(), u"workers"_qs);
        QCOMPARE(f.selection(), (EntityRef{Kind::Worker, "worker-3"}));
        QTest::keyClick(&f.table(u"workers"_qs), Qt::Key_Right);
        QTest::keyClick(&f.table(u"workers"_qs), Qt::Key_Return);
        QCOMPARE(f.selection(), (EntityRef{Kind::Job, "default-8"}));
    }

    void theMenuOfARowLeadsToAllThatItNames()
    {
        Fixture f;
        f.run(f.cluster.addLock("db", {"default-9"}));
        f.world.runFor(3s);
        f.window.showPage(u"locks"_qs);
        const QModelIndex db = f.cell(u"locks"_qs, 0, u"db"_qs, LockModel::Lock);
        QVERIFY(db.isValid());
        f.table(u"locks"_qs).setCurrentIndex(db);
        QContextMenuEvent event(QContextMenuEvent::Keyboard, {}, {});
        QCoreApplication::sendEvent(f.table(u"locks"_qs).viewport(), &event);
        auto *const menu = f.table(u"locks"_qs).findChild<QMenu *>();
        QVERIFY(menu && menu->isVisible());
        const QList<QAction *> offered = menu->actions();
        const auto leads = [](const QAction *action) { return action->text().startsWith(u"Go to "); };
        QCOMPARE(std::count_if(offered.begin(), offered.end(), leads), 2); // to its session, too
        QAction *const link = *std::find_if(offered.begin(), offered.end(), leads);
        QCOMPARE(link->text(), u"Go to job default-9"_qs);
        link->trigger();
        QCOMPARE(f.selection(), (EntityRef{Kind::Job, "default-9"}));

        QMenu ofJob;
        f.table(u"jobs"_qs).addLinks(ofJob, f.table(u"jobs"_qs).currentIndex());
        QStringList texts;
        const QList<QAction *> links = ofJob.actions();
        for (const QAction *const one : links)
            texts << one->text();
        QCOMPARE(texts, (QStringList{u"Go to worker worker-1"_qs, u"Go to queue default"_qs}));
        links.back()->trigger();
        QCOMPARE(f.page(), u"queues"_qs);
        QCOMPARE(f.selection(), (EntityRef{Kind::Queue, "default"}));
    }

    // A kind has one page, whatever leads there: a cell, the palette, an event or the graph of the waits.
    void eachKindHasItsPage()
    {
        Fixture f;
        const std::pair<EntityRef, QString> places[] = {
            {{Kind::Job, "default-8"}, u"jobs"_qs},       {{Kind::Worker, "worker-2"}, u"workers"_qs},
            {{Kind::Queue, "gpu"}, u"queues"_qs},         {{Kind::Lock, "report"}, u"locks"_qs},
            {{Kind::Server, "zk2:2181"}, u"ensemble"_qs}, {{Kind::Znode, "/drover/default/locks"}, u"znodes"_qs}};
        f.world.runFor(5s);
        for (const auto &[entity, page] : places) {
            f.shell->goToEntity(entity);
            f.world.runFor(3s);
            QCOMPARE(f.page(), page);
            QCOMPARE(f.selection(), entity);
        }
    }

    void backAndForwardGoOverPagesAndSelections()
    {
        Fixture f;
        QVERIFY(QTest::qWaitForWindowActive(&f.window));
        f.window.showPage(u"jobs"_qs);
        f.shell->goToEntity({Kind::Job, "default-8"});
        f.shell->goToEntity({Kind::Worker, "worker-1"});
        f.window.showPage(u"locks"_qs);
        f.press(Qt::Key_Left);
        QCOMPARE(f.page(), u"workers"_qs);
        f.table(u"workers"_qs).clearSelection();
        f.press(Qt::Key_Left);
        QCOMPARE(f.page(), u"jobs"_qs);
        QCOMPARE(f.selection(), (EntityRef{Kind::Job, "default-8"}));
        f.press(Qt::Key_Right);
        QCOMPARE(f.selection(), (EntityRef{Kind::Worker, "worker-1"}));
        f.press(Qt::Key_Right);
        QCOMPARE(f.page(), u"locks"_qs);
        QVERIFY(!f.window.findChild<QAction *>(u"go.forward"_qs)->isEnabled());
        f.press(Qt::Key_Left);
        f.window.showPage(u"queues"_qs); // what was ahead is forgotten
        QVERIFY(!f.window.findChild<QAction *>(u"go.forward"_qs)->isEnabled());
        f.press(Qt::Key_Left);
        QCOMPARE(f.page(), u"workers"_qs);
    }

    void thePaletteFindsThingsByName()
    {
        Fixture f;
        QVERIFY(QTest::qWaitForWindowActive(&f.window));
        QCOMPARE(f.found(u"worker-2"_qs), QStringList{u"Go to worker worker-2"_qs});
        f.enter();
        QCOMPARE(f.selection(), (EntityRef{Kind::Worker, "worker-2"}));
        QCOMPARE(f.found(u"nightly-b"_qs), QStringList{u"Go to lock nightly-backup"_qs});
        test::pictureOf(f.window, u"palette-finds"_qs);
        f.enter();
        QCOMPARE(f.selection(), (EntityRef{Kind::Lock, "nightly-backup"}));
        QCOMPARE(f.found(u"words gpl-3"_qs), QStringList{u"Go to job default-6"_qs}); // by its name
        f.enter();
        QCOMPARE(f.selection(), (EntityRef{Kind::Job, "default-6"}));
        QVERIFY(f.found(u"nightly"_qs).contains(u"Go to queue nightly"_qs));
        QCOMPARE(f.found(u"/drover/default/locks"_qs), QStringList{u"Go to znode /drover/default/locks"_qs});
        f.enter();
        f.world.runFor(3s);
        QCOMPARE(f.page(), u"znodes"_qs);
        QCOMPARE(f.selection(), (EntityRef{Kind::Znode, "/drover/default/locks"}));
        QCOMPARE(f.found(u"/no//path"_qs), QStringList());
    }

    // The filter leaves it out, or the table holds newer ones alone.
    void aJobWithoutARowIsSearched()
    {
        Fixture f;
        f.window.showPage(u"jobs"_qs);
        auto *const filter = f.window.findChild<JobPane *>()->findChild<QLineEdit *>();
        filter->setText(u"nothing like it"_qs);
        QCOMPARE(f.table(u"jobs"_qs).model()->rowCount(), 0);
        QVERIFY(f.found(u"gpu-0"_qs).contains(u"Go to job gpu-0"_qs));
        f.shell->goToEntity({Kind::Job, "gpu-0"});
        f.world.runFor(3s);
        QCOMPARE(filter->text(), u"gpu-0"_qs);
        QCOMPARE(f.selection(), (EntityRef{Kind::Job, "gpu-0"}));
        QVERIFY(f.found(u"default-4711"_qs).contains(u"Go to job default-4711"_qs)); // it may be in the history
    }

    // Nothing steals the selection from a user who has chosen another row meanwhile.
    void aRowThatComesLateIsSelectedUnlessTheUserHasMovedOn()
    {
        Fixture f;
        f.shell->goToEntity({Kind::Lock, "late"});
        f.run(f.cluster.addLock("late", {"ada"}));
        f.world.runFor(3s);
        QCOMPARE(f.selection(), (EntityRef{Kind::Lock, "late"}));
        f.shell->goToEntity({Kind::Lock, "later"});
        const QModelIndex other = f.cell(u"locks"_qs, 0, u"report"_qs, LockModel::Lock);
        f.table(u"locks"_qs).setCurrentIndex(other);
        f.run(f.cluster.addLock("later", {"ada"}));
        f.world.runFor(3s);
        QCOMPARE(f.selection(), (EntityRef{Kind::Lock, "report"}));
    }
};

QTEST_MAIN(NavigationTest)
#include "navigation_test.moc"
