#include "gui/inspector/entity_facts.h"
#include "gui/inspector/inspector.h"
#include "gui/inspector/job_output.h"
#include "gui/inspector/job_panel.h"
#include "gui/kit/entity_link.h"
#include "gui/pictures.h"
#include "gui/shell/page.h"
#include "gui/shell/shell.h"
#include "gui/text/format.h"
#include "gui/widgets/action_button.h"
#include "gui/widgets/change_dialog.h"
#include "gui/widgets/table_view.h"
#include "gui/window_fixture.h"
#include "gui/workspace/feed_needs.h"
#include "jobs/cluster/cordon.h"
#include "jobs/cluster/queue_settings.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using Kind = EntityRef::Kind;

namespace {

constexpr int Patience = 30'000; // ms

struct Fixture : test::WindowFixture {
    Shell *shell = window.findChild<Shell *>();
    Inspector *panel = window.findChild<Inspector *>();

    explicit Fixture(bool editing = true) : test::WindowFixture(editing) { window.showPage(u"jobs"_qs); }

    QAction *toggle() const { return window.findChild<QAction *>(u"window.inspector"_qs); }
    // Goes there, with the inspector open.
    void open(const EntityRef &entity)
    {
        if (!panel->isVisible())
            toggle()->trigger();
        shell->goToEntity(entity);
        world.runFor(3s);
        QCoreApplication::processEvents();
    }
    static QString textOf(const Inspector &inspector)
    {
        QCoreApplication::processEvents();
        QStringList texts;
        for (const QLabel *const label : inspector.findChildren<QLabel *>())
            texts << label->text();
        for (const QPlainTextEdit *const field : inspector.findChildren<QPlainTextEdit *>())
            texts << field->toPlainText();
        return texts.join(u'\n');
    }
    QString text() const { return textOf(*panel); }
    EntityLink *link(const EntityRef &entity) const
    {
        QCoreApplication::processEvents();
        for (EntityLink *const one : panel->findChildren<EntityLink *>()) {
            if (one->entity() == entity)
                return one;
        }
        return nullptr;
    }
    void follow(const EntityRef &entity)
    {
        QVERIFY2(link(entity), qPrintable(text()));
        QTest::keyClick(link(entity), Qt::Key_Return);
        QCoreApplication::processEvents();
        world.runFor(3s);
        QCoreApplication::processEvents();
    }
    QPushButton *button(const QString &text) const
    {
        for (QPushButton *const one : panel->findChildren<QPushButton *>()) {
            if (one->text() == text)
                return one;
        }
        return nullptr;
    }
    void press(const QString &text)
    {
        QVERIFY2(button(text), qPrintable(text));
        button(text)->click();
        QCoreApplication::processEvents();
    }
    QString page() const { return shell->current()->name(); }
    EntityRef selection() const { return shell->selection(); }
};

} // namespace

// What the inspector shows of each kind of thing, while it changes, and where it leads.
class InspectorTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aJobIsLiveAndLeadsToItsWorker()
    {
        Fixture f;
        const jobs::JobId id{"default", 12};
        f.open({Kind::Job, "default-12"});
        QVERIFY2(f.text().contains(u"default-12 — Ready"_qs), qPrintable(f.text()));
        QVERIFY(!f.link({Kind::Worker, "worker-3"}));
        f.run(f.cluster.claim(id, u"worker-3"_qs));
        f.world.runFor(2s);
        QVERIFY2(f.text().contains(u"default-12 — Running"_qs), qPrintable(f.text()));
        test::pictureOf(f.window, u"inspector-job"_qs);
        f.follow({Kind::Worker, "worker-3"});
        QCOMPARE(f.page(), u"workers"_qs);
        QCOMPARE(f.selection(), (EntityRef{Kind::Worker, "worker-3"}));
        QCOMPARE(f.panel->entity(), f.selection());
    }

    void aWorkerIsLiveAndLeadsToItsJobs()
    {
        Fixture f;
        f.open({Kind::Worker, "worker-2"});
        QVERIFY2(f.text().contains(u"worker worker-2 — busy"_qs), qPrintable(f.text()));
        f.run(f.cluster.claim({"default", 12}, u"worker-2"_qs));
        f.world.runFor(2s);
        QTRY_VERIFY_WITH_TIMEOUT(f.link({Kind::Job, "default-12"}), Patience);
        const jobs::Cluster cluster(*f.writer, f.cluster.layout());
        f.run(jobs::placeCordon(cluster, "worker-2", u"new disk"_qs, jobs::AuditAction::WorkerCordoned));
        f.world.runFor(2s);
        QTRY_VERIFY_WITH_TIMEOUT(f.text().contains(u"new disk"_qs), Patience);
        QVERIFY(f.text().contains(u"worker worker-2 — cordoned"_qs));
        test::pictureOf(f.window, u"inspector-worker"_qs);
        f.press(u"Uncordon"_qs);
        f.world.runFor(3s);
        QTRY_VERIFY_WITH_TIMEOUT(f.text().contains(u"worker worker-2 — busy"_qs), Patience);
        f.follow({Kind::Job, "default-12"});
        QCOMPARE(f.page(), u"jobs"_qs);
        QCOMPARE(f.selection(), (EntityRef{Kind::Job, "default-12"}));
    }

    void aQueueIsLiveAndLeadsToItsWorkers()
    {
        Fixture f;
        f.open({Kind::Queue, "default"});
        QVERIFY2(f.text().contains(u"queue default — open"_qs), qPrintable(f.text()));
        const jobs::Cluster cluster(*f.writer, f.cluster.layout());
        f.run(jobs::changeQueue(cluster, "default", [](jobs::QueueSettings &settings) {
            settings.paused = true;
            settings.pausedBy = u"root@vm"_qs;
            settings.why = u"maintenance"_qs;
            settings.limit = 7;
        }));
        f.world.runFor(2s);
        QTRY_VERIFY_WITH_TIMEOUT(f.text().contains(u"queue default — paused"_qs), Patience);
        QVERIFY2(f.text().contains(u"maintenance"_qs) && f.text().contains(u"of at most 7"_qs), qPrintable(f.text()));
        test::pictureOf(f.window, u"inspector-queue"_qs);
        f.follow({Kind::Worker, "worker-1"});
        QCOMPARE(f.selection(), (EntityRef{Kind::Worker, "worker-1"}));
    }

    void aLockIsLiveAndLeadsToTheJobThatHasIt()
    {
        Fixture f;
        f.run(f.cluster.addLock("db", {"default-9", "ada@host process 7"}));
        f.world.runFor(3s);
        f.open({Kind::Lock, "db"});
        QTRY_VERIFY_WITH_TIMEOUT(f.text().contains(u"lock db — held, 1 behind"_qs), Patience);
        QVERIFY2(f.text().contains(u"Fencing token"_qs) && f.link({Kind::Worker, "worker-1"}), qPrintable(f.text()));
        f.run(f.cluster.addLock("db", {"bob@host process 8"}));
        f.world.runFor(3s);
        QTRY_VERIFY_WITH_TIMEOUT(f.text().contains(u"lock db — held, 2 behind"_qs), Patience);
        QVERIFY(f.text().contains(u"bob@host process 8"_qs));
        test::pictureOf(f.window, u"inspector-lock"_qs);
        f.follow({Kind::Job, "default-9"});
        QCOMPARE(f.selection(), (EntityRef{Kind::Job, "default-9"}));
        QTRY_VERIFY_WITH_TIMEOUT(f.link({Kind::Lock, "db"}), Patience); // the job tells of it, too
    }

    // It has no page of its own: the inspector alone shows it.
    void aSessionIsLiveAndLeadsToItsLocks()
    {
        Fixture f;
        f.run(f.cluster.addLock("db", {"default-9"}));
        f.world.runFor(3s);
        f.open({Kind::Lock, "db"});
        const EntityRef session{Kind::Session, formatHex(f.writer->sessionId()).toLatin1()};
        f.follow(session);
        QCOMPARE(f.panel->entity(), session);
        QCOMPARE(f.page(), u"locks"_qs);
        QVERIFY2(f.link({Kind::Job, "default-9"}) && f.link({Kind::Lock, "db"}), qPrintable(f.text()));
        f.run(f.cluster.addLock("files", {"default-9"}));
        f.world.runFor(3s);
        QTRY_VERIFY_WITH_TIMEOUT(f.link({Kind::Lock, "files"}), Patience);
        test::pictureOf(f.window, u"inspector-session"_qs);
        f.follow({Kind::Lock, "files"});
        QCOMPARE(f.selection(), (EntityRef{Kind::Lock, "files"}));
    }

    void aZnodeIsLiveAndLeadsToItsParent()
    {
        Fixture f;
        const zk::Path path = zk::Path("/drover/default") / "notes";
        const auto made = f.writer->create(path, "first");
        f.world.runFor(1s);
        f.open({Kind::Znode, path.bytes()});
        QTRY_VERIFY_WITH_TIMEOUT(f.text().contains(u"first"_qs), Patience);
        const auto written = f.writer->set(path, "{\"second\": true}");
        f.world.runFor(3s);
        QTRY_VERIFY_WITH_TIMEOUT(f.text().contains(u"\"second\": true"_qs), Patience);
        test::pictureOf(f.window, u"inspector-znode"_qs);
        f.follow({Kind::Znode, "/drover/default"});
        QCOMPARE(f.selection(), (EntityRef{Kind::Znode, "/drover/default"}));
        const auto removed = f.writer->remove(path);
        f.panel->inspect({Kind::Znode, path.bytes()});
        f.world.runFor(3s);
        QTRY_VERIFY_WITH_TIMEOUT(f.text().contains(u"exist"_qs), Patience);
    }

    void aServerIsLiveAndLeadsToTheSessionOfTheConsole()
    {
        Fixture f;
        f.world.runFor(5s);
        ConnectionState state{f.statuses.back(), true, {}};
        state.session.server = u"zk1:2181"_qs; // the cluster in memory does not name its server
        f.open({Kind::Server, "zk1:2181"});
        QTRY_VERIFY_WITH_TIMEOUT(f.text().contains(u"server zk1:2181 — Follower"_qs), Patience);
        f.servers[0].role = zk::ServerReport::Role::Silent;
        f.world.runFor(5s);
        QTRY_VERIFY_WITH_TIMEOUT(f.text().contains(u"server zk1:2181 — No answer"_qs), Patience);
        test::pictureOf(f.window, u"inspector-server"_qs);
        f.panel->showState(state);
        const EntityRef own{Kind::Session, formatHex(state.session.sessionId).toLatin1()};
        f.follow(own);
        QCOMPARE(f.panel->entity(), own);
        QVERIFY2(f.text().contains(u"of this console"_qs), qPrintable(f.text()));
        f.follow({Kind::Server, "zk1:2181"});
        QCOMPARE(f.selection(), (EntityRef{Kind::Server, "zk1:2181"}));
    }

    void followsTheSelectionUnlessItIsPinned()
    {
        Fixture f;
        QVERIFY(!f.panel->isVisible());
        f.open({Kind::Job, "default-8"});
        QCOMPARE(f.panel->entity(), (EntityRef{Kind::Job, "default-8"}));
        f.open({Kind::Worker, "worker-1"});
        QCOMPARE(f.panel->entity(), (EntityRef{Kind::Worker, "worker-1"}));
        f.panel->setPinned(true);
        f.open({Kind::Queue, "gpu"});
        QCOMPARE(f.panel->entity(), (EntityRef{Kind::Worker, "worker-1"}));
        f.panel->setPinned(false);
        QTest::keyClick(&f.window, Qt::Key_I, Qt::AltModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!f.panel->isVisible(), Patience);
        f.shell->goToEntity({Kind::Lock, "report"});
        f.toggle()->trigger(); // shows what is selected now
        QCOMPARE(f.panel->entity(), (EntityRef{Kind::Lock, "report"}));
    }

    // A double click, and Enter.
    void activatingARowOpensIt()
    {
        Fixture f;
        for (const EntityRef &entity : {EntityRef{Kind::Job, "default-8"}, EntityRef{Kind::Worker, "worker-2"},
                                        EntityRef{Kind::Queue, "gpu"}, EntityRef{Kind::Lock, "report"}}) {
            f.shell->goToEntity(entity);
            f.shell->showPanel(false);
            auto *const table = f.shell->current()->findChild<TableView *>();
            QTest::keyClick(table, Qt::Key_Return);
            QVERIFY(f.panel->isVisible());
            QCOMPARE(f.panel->entity(), entity);
        }
    }

    // Two outputs side by side.
    void windowsOfTheirOwnStayWithTheirJobs()
    {
        Fixture f;
        f.open({Kind::Job, "default-8"});
        Q_EMIT f.panel->windowWanted(f.panel->entity());
        f.open({Kind::Job, "default-9"});
        Q_EMIT f.panel->windowWanted(f.panel->entity());
        f.open({Kind::Worker, "worker-1"});
        QList<Inspector *> all = f.window.findChildren<Inspector *>();
        all.removeOne(f.panel);
        QCOMPARE(all.size(), 2);
        for (const char *const name : {"default-8 — Running", "default-9 — Running"})
            QVERIFY2(std::any_of(
                         all.begin(), all.end(),
                         [&](const Inspector *one) { return Fixture::textOf(*one).contains(QString::fromUtf8(name)); }),
                     name);
        all.front()->job()->showOutput(true);
        test::pictureOf(*all.front()->window(), u"inspector-window"_qs);
        all.front()->window()->close();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QCOMPARE(f.window.findChildren<Inspector *>().size(), 2);
        f.window.connectTo({test::Nowhere, "other"}); // they are about the former cluster
        QCOMPARE(f.window.findChildren<Inspector *>().size(), 1);
        QVERIFY(f.panel->entity().isNull());
    }

    void itsVerbsAskAndObeyTheGateway()
    {
        Fixture f(false);
        f.open({Kind::Job, "default-12"});
        QVERIFY(f.button(u"Cancel…"_qs) && !f.button(u"Cancel…"_qs)->isEnabled());
        QVERIFY(f.button(u"Cancel…"_qs)->toolTip().contains(u"read-only"_qs));
        f.window.findChild<QAction *>(u"connection.edit"_qs)->setChecked(true);
        f.press(u"Cancel…"_qs);
        auto *const dialog = f.window.findChild<ChangeDialog *>();
        QVERIFY(dialog);
        dialog->accept();
        f.world.runFor(3s);
        QTRY_VERIFY_WITH_TIMEOUT(f.text().contains(u"default-12 — Cancelled"_qs), Patience);
        QVERIFY(f.button(u"Submit again…"_qs));
        const QList<QAction *> actions = f.panel->findChildren<QAction *>();
        for (QAction *const action : actions) {
            if (action->text() == u"Copy as a command")
                action->trigger();
        }
        QCoreApplication::processEvents();
        const QString command = QGuiApplication::clipboard()->text();
        QVERIFY2(command.startsWith(u"drover submit --connect %1 --cluster default "_qs.arg(test::Nowhere)),
                 qPrintable(command));
    }

    // Of its one holder.
    void aLockIsAskedForAndBroken()
    {
        Fixture f(false);
        f.open({Kind::Lock, "nightly-backup"}); // it is free
        QVERIFY(!f.button(u"Break…"_qs));
        f.open({Kind::Lock, "report"});
        QTRY_VERIFY_WITH_TIMEOUT(f.button(u"Ask to let go…"_qs) && f.button(u"Break…"_qs), Patience);
        QVERIFY(!f.button(u"Break…"_qs)->isEnabled());
        f.window.findChild<QAction *>(u"connection.edit"_qs)->setChecked(true);
        f.press(u"Ask to let go…"_qs);
        QPointer<ChangeDialog> dialog = f.window.findChild<ChangeDialog *>();
        QVERIFY(dialog && dialog->windowTitle().startsWith(u"Ask to let go"_qs));
        delete dialog;
        f.press(u"Break…"_qs);
        dialog = f.window.findChild<ChangeDialog *>();
        QVERIFY(dialog);
        dialog->findChild<QLineEdit *>()->setText(u"report"_qs);
        dialog->accept();
        f.world.runFor(3s);
        const std::optional<LockRow> holder = onlyHolderOf(f.models.waits, "report"); // who was behind it
        QVERIFY(holder);
        QCOMPARE(holder->about, "worker-3 job default-9");
    }

    // The page has a key of that name as well.
    void theOutputHasItsKeys()
    {
        Fixture f;
        QVERIFY(QTest::qWaitForWindowActive(&f.window));
        f.open({Kind::Job, "default-8"});
        f.panel->job()->showOutput(true);
        auto *const output = f.panel->findChild<JobOutput *>();
        auto *const field = output->findChild<QLineEdit *>();
        output->findChild<QPlainTextEdit *>()->setFocus();
        QTest::keyClick(output->findChild<QPlainTextEdit *>(), Qt::Key_F, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(field->hasFocus(), Patience);
        auto *const table = f.shell->current()->findChild<TableView *>();
        table->setFocus();
        QTest::keyClick(table, Qt::Key_F, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(f.window.findChild<JobPane *>()->findChild<QLineEdit *>()->hasFocus(), Patience);
    }

    // It is below the page there, and both can be read.
    void aSmallWindowHasRoomForIt()
    {
        Fixture f;
        const QTemporaryDir directory;
        QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            applyTheme(theme);
            f.window.resize(1280, 800);
            f.open({Kind::Job, "default-8"});
            QVERIFY(f.panel->x() > 0 && f.panel->width() > 300);
            test::pictureOf(f.window, u"inspector-1280-%1"_qs.arg(int(theme)));
            f.panel->job()->showOutput(true);
            test::pictureOf(f.window, u"inspector-output-%1"_qs.arg(int(theme)));
            f.panel->job()->showOutput(false);
            f.window.resize(800, 600);
            QCoreApplication::processEvents();
            QCOMPARE(f.window.size(), QSize(800, 600));
            QCOMPARE(f.panel->x(), 0);
            QVERIFY(f.panel->height() > 150);
            QVERIFY(f.shell->current()->findChild<TableView *>()->viewport()->height() > 80);
            test::pictureOf(f.window, u"inspector-800-%1"_qs.arg(int(theme)));
        }
        applyTheme(ThemeChoice::Light);
        f.window.saveTo(settings);
        f.toggle()->trigger();
        f.window.restoreFrom(settings);
        QVERIFY(f.panel->isVisible());
    }

    // The feeds that it needs are awake, whatever page is shown.
    void keepsAwakeWhatItShows()
    {
        Fixture f;
        auto *const needs = f.window.findChild<FeedNeeds *>();
        needs->setPatience(0ms);
        f.window.showPage(u"schedules"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(!f.console.locks().isAwake(), Patience);
        f.shell->showPanel(true);
        f.panel->inspect({Kind::Lock, "report"});
        QTRY_VERIFY_WITH_TIMEOUT(f.console.locks().isAwake(), Patience);
        f.shell->showPanel(false);
        QTRY_VERIFY_WITH_TIMEOUT(!f.console.locks().isAwake(), Patience);
    }
};

QTEST_MAIN(InspectorTest)
#include "inspector_test.moc"
