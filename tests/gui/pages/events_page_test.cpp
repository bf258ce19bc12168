#include "gui/models/events/event_model.h"
#include "gui/pages/table_page.h"
#include "gui/pictures.h"
#include "gui/shell/page.h"
#include "gui/shell/shell.h"
#include "gui/widgets/table_actions.h"
#include "gui/widgets/table_view.h"
#include "gui/window/tray.h"
#include "gui/window_fixture.h"
#include "gui/workspace/notifier.h"
#include "jobs/cluster/queue_settings.h"

#include <QAction>
#include <QCheckBox>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using jobs::FinalRecord;
using test::SampleCluster;

namespace {

struct Fixture : test::WindowFixture {
    TablePage *page = static_cast<TablePage *>(window.findChild<Shell *>()->find(u"events"_qs));

    Fixture() { window.resize(1100, 720); }

    void follow()
    {
        window.showPage(u"events"_qs);
        world.runFor(5s);
    }
    jobs::JobId submit(const char *queue)
    {
        const jobs::JobId id = run(cluster.addJob(SampleCluster::spec({u"make"_qs}, queue)));
        world.runFor(1s);
        return id;
    }
    void fail(const jobs::JobId &id)
    {
        run(cluster.claim(id, u"worker-1"_qs));
        world.runFor(1s);
        run(cluster.finish(id, FinalRecord::Outcome::Exited, 3, "no such file\n"));
        world.runFor(1s);
    }
    // "ended default-15", as the table has it.
    QStringList rows() const
    {
        QStringList rows;
        const QAbstractItemModel &model = *page->table().model();
        for (int row = 0; row < model.rowCount(); ++row)
            rows << model.index(row, EventModel::Event).data().toString() + u' '
                    + model.index(row, EventModel::Subject).data().toString();
        return rows;
    }
    QMenu *rules() const
    {
        QMenu *const menu = page->findChild<QPushButton *>()->menu();
        Q_EMIT menu->aboutToShow();
        return menu;
    }
};

} // namespace

// The page of the stream of events, in the window.
class EventsPageTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Each of them takes watches and reads.
    void followsNothingBeforeItIsSeen()
    {
        Fixture f;
        f.world.runFor(5s);
        f.submit("default");
        QCOMPARE(f.models.events.rowCount(), 0);
        QCOMPARE(f.console.events().watches(), 0);
        f.follow();
        QVERIFY(f.console.events().watches() > 8);
        QCOMPARE(f.models.events.rowCount(), 0); // what was there before is no event
    }

    void showsWhatHappensTheNewestFirst()
    {
        Fixture f;
        f.follow();
        const jobs::JobId id = f.submit("default");
        f.fail(id);
        const QString text = id.toString();
        QCOMPARE(f.rows(), (QStringList{u"ended "_qs + text, u"started "_qs + text, u"submitted "_qs + text}));
        const QAbstractItemModel &model = *f.page->table().model();
        QCOMPARE(model.index(0, EventModel::State).data().toString(), u"Failed"_qs);
        QVERIFY2(model.index(0, EventModel::Detail).data().toString().contains(u"exit code 3, on worker-"_qs),
                 qPrintable(model.index(0, EventModel::Detail).data().toString()));
        f.page->findChild<QCheckBox *>()->click();
        QCOMPARE(f.rows().back(), u"ended "_qs + text);
    }

    void locksAndServersAreInTheStream()
    {
        Fixture f;
        f.follow();
        f.run(f.cluster.addLock("report", {"late"}));
        f.run(f.cluster.addLock("fresh", {"first"}));
        f.servers[0] = test::serverThatSays(u"zk1"_qs, zk::ServerReport::Role::Silent);
        f.world.runFor(5s);
        const QStringList rows = f.rows();
        QVERIFY2(rows.contains(u"lock-taken fresh"_qs), qPrintable(rows.join(u'\n')));
        QVERIFY2(rows.contains(u"lock-waits report"_qs), qPrintable(rows.join(u'\n')));
        QVERIFY2(rows.contains(u"server-changed zk1:2181"_qs), qPrintable(rows.join(u'\n')));
        QVERIFY2(rows.size() == 3, qPrintable(rows.join(u'\n'))); // the locks that were there before are no events
        f.window.showPage(u"ensemble"_qs);
        QCOMPARE(f.page->badge().text, QString());
        f.servers[1] = test::serverThatSays(u"zk2"_qs, zk::ServerReport::Role::Silent);
        f.world.runFor(5s);
        QCOMPARE(f.page->badge().text, u"1"_qs); // bad events that were not seen
        f.window.showPage(u"events"_qs);
        QCOMPARE(f.page->badge().text, QString());
    }

    void theFilterIsARule()
    {
        Fixture f;
        f.follow();
        f.fail(f.submit("gpu"));
        f.submit("nightly");
        f.page->findChild<QLineEdit *>()->setText(u"state:failed queue:gpu"_qs);
        QCOMPARE(f.rows().size(), 1);
        QVERIFY(f.rows()[0].startsWith(u"ended gpu-"_qs));
        test::pictureOf(f.window, u"events-filtered"_qs);
        f.page->findChild<QLineEdit *>()->setText(u"queue:nosuch"_qs);
        QCOMPARE(f.rows().size(), 0);
    }

    void newEventsDoNotScrollTheList()
    {
        Fixture f;
        f.follow();
        for (int i = 0; i < 40; ++i)
            f.submit("default");
        f.window.resize(900, 500);
        test::pictureOf(f.window, u"events"_qs); // layouts settle
        applyTheme(ThemeChoice::Dark);
        test::pictureOf(f.window, u"events-dark"_qs);
        TableView &table = f.page->table();
        table.verticalScrollBar()->setValue(10);
        const auto top = [&] { return table.indexAt({5, 5}).siblingAtColumn(EventModel::Subject).data().toString(); };
        const QString read = top();
        QVERIFY(!read.isEmpty());
        f.submit("default");
        QCOMPARE(top(), read);
        table.scrollToTop();
        const jobs::JobId newest = f.submit("default");
        QCOMPARE(top(), newest.toString());
        f.page->findChild<QCheckBox *>()->click();
        const jobs::JobId last = f.submit("default");
        QCOMPARE(f.rows().back(), u"submitted "_qs + last.toString());
        QCOMPARE(table.verticalScrollBar()->value(), table.verticalScrollBar()->maximum());
    }

    void aRowLeadsToItsJobOrItsLock()
    {
        Fixture f;
        f.follow();
        const jobs::JobId id = f.submit("default");
        QAction *const open = f.window.findChild<QAction *>(u"events.open"_qs);
        f.page->table().setCurrentIndex(f.page->table().model()->index(0, 0));
        open->trigger();
        f.world.runFor(1s);
        const auto *const shell = f.window.findChild<Shell *>();
        QCOMPARE(shell->current()->name(), u"jobs"_qs);
        QCOMPARE(shell->current()->selection(), (EntityRef{EntityRef::Kind::Job, id.bytes()}));
        f.window.showPage(u"events"_qs);
        f.run(f.cluster.addLock("fresh", {"first"}));
        f.world.runFor(2s);
        f.page->table().setCurrentIndex(f.page->table().model()->index(0, 0));
        open->trigger();
        const Page *const shown = shell->current();
        QCOMPARE(shown->name(), u"locks"_qs);
        const TableView &locks = static_cast<const TablePage *>(shown)->table();
        QCOMPARE(locks.currentIndex().siblingAtColumn(0).data().toString(), u"fresh"_qs);
    }

    // The window tells it in its last line, and the desktop by a notification, which names the cluster.
    void tellsOfAFailureInAQueue()
    {
        const QTemporaryDir directory;
        QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        {
            Fixture f;
            f.follow();
            const jobs::JobId id = f.submit("gpu");
            f.page->table().setCurrentIndex(f.page->table().model()->index(0, 0));
            const QString title = u"Of failures in this queue: state:failed queue:gpu"_qs;
            QAction *rule = nullptr;
            const QList<QAction *> offered = f.rules()->actions();
            for (QAction *const action : offered)
                rule = action->text() == title ? action : rule;
            QVERIFY(rule && !rule->isChecked());
            rule->trigger();
            QList<Notifier::Message> messages;
            auto *const notifier = f.window.findChild<Notifier *>();
            notifier->setDesktop([&messages](const Notifier::Message &message) { messages.append(message); });
            f.fail(id);
            QTRY_VERIFY_WITH_TIMEOUT(f.says(id.toString() + u" ended failed"_qs), 30'000);
            QCOMPARE(messages.size(), 1);
            QCOMPARE(messages.front().title,
                     u"Drover, default on "_qs + test::Nowhere + u": state:failed queue:gpu"_qs);
            QVERIFY2(messages.front().text.contains(id.toString()), qPrintable(messages.front().text));
            notifier->tell(u"<b>a</b>"_qs, u"&amp;"_qs); // a desktop would take it for markup
            QVERIFY2(!messages.back().title.contains(u'<') && !messages.back().text.contains(u'&'),
                     qPrintable(messages.back().title));
            f.window.showPage(u"jobs"_qs);
            messages.front().opened(); // a click
            QCOMPARE(f.window.findChild<Shell *>()->current()->name(), u"events"_qs);
            f.window.saveTo(settings);
        }
        Fixture f; // whose page is not opened
        f.window.restoreFrom(settings);
        f.world.runFor(5s);
        const jobs::JobId id = f.submit("gpu");
        f.fail(id);
        QTRY_VERIFY_WITH_TIMEOUT(f.says(id.toString() + u" ended failed"_qs), 30'000);
    }

    void aNewSessionLeavesAGap()
    {
        Fixture f;
        f.follow();
        f.server.expire(f.statuses.last().sessionId);
        f.world.runFor(10s);
        QVERIFY2(f.rows().join(u'\n').startsWith(u"session-renewed "_qs), qPrintable(f.rows().join(u'\n')));
        const jobs::JobId id = f.submit("default");
        QCOMPARE(f.rows()[0], u"submitted "_qs + id.toString());
        f.window.connectTo({test::Nowhere, "other"});
        f.world.runFor(2s);
        QVERIFY(!f.rows().join(u'\n').contains(u"submitted"_qs)); // of another cluster
    }

    // In whichever tab one has subscribed to them.
    void theMenuInTheTrayListsTheRules()
    {
        Fixture f;
        const QMenu &menu = f.window.findChild<Tray *>()->menu();
        const auto rules = [&menu] {
            QStringList texts;
            for (const QAction *const action : menu.actions())
                texts << (action->isCheckable() ? QStringList(action->text()) : QStringList());
            return texts;
        };
        QCOMPARE(rules(), QStringList());
        f.models.subscriptions.add(u"state:failed"_qs);
        f.models.subscriptions.add(u"job:default-8"_qs);
        QCOMPARE(rules(), (QStringList{u"state:failed"_qs, u"job:default-8"_qs}));
        menu.actions()[1]->trigger();
        QCoreApplication::processEvents();
        QVERIFY(!f.models.subscriptions.has(u"state:failed"_qs));
        QCOMPARE(rules(), QStringList{u"job:default-8"_qs});
        f.window.showPage(u"jobs"_qs);
        menu.actions().last()->trigger();
        QVERIFY(f.page->isVisible());
    }
};

QTEST_MAIN(EventsPageTest)
#include "events_page_test.moc"
