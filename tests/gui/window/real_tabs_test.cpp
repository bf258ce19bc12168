#include "gui/feeds/feed_thread.h"
#include "gui/pages/queues_page.h"
#include "gui/sample_cluster.h"
#include "gui/session_with.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/shell.h"
#include "gui/widgets/change_dialog.h"
#include "gui/widgets/table_view.h"
#include "gui/window/main_window.h"
#include "gui/workspace/console_models.h"
#include "jobs/cluster/queue_settings.h"
#include "support/await.h"
#include "support/zk_server.h"
#include "zk/client/session.h"

#include <QAction>
#include <QSettings>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

constexpr int Patience = 60'000; // ms

// For one tab, as the program makes it.
struct Owner {
    FeedThread feeds{[](async::Loop &loop, const Target &target, const GivenCredentials &) {
        return OpenedSession{test::sessionWith(loop, target.connect, 10s)};
    }};
    ConsoleModels models;

    Owner() { connectModels(models, feeds.session()); }
};

// A real server with a cluster, and the session that has made it.
struct Ensemble {
    async::QtLoop loop;
    test::TestServer server;
    std::unique_ptr<zk::Session> writer;
    std::optional<test::SampleCluster> cluster;

    explicit Ensemble(const QByteArray &name)
    {
        server.start();
        writer = test::sessionWith(loop, server.connectString(), 10s);
        cluster.emplace(*writer, name);
        test::await(cluster->fill());
    }
    bool isPaused(const QByteArray &queue)
    {
        return test::await(jobs::queueSettings(jobs::Cluster(*writer, cluster->layout()), queue)).paused;
    }
};

struct Console {
    std::vector<std::weak_ptr<Owner>> owners; // of the tabs, in the order in which they were made
    MainWindow window{newBacking()};

    Console()
    {
        window.setSource([this] { return newBacking(); });
        window.resize(1400, 900);
        window.show();
    }
    Backing newBacking()
    {
        auto owner = std::make_shared<Owner>();
        owners.push_back(owner);
        return {&owner->models, &owner->feeds.session(), owner};
    }
    QAction *action(const QString &name) const { return window.shown().findChild<ActionRegistry *>()->find(name); }
    QString words(int tab) const { return window.findChild<QTabBar *>(u"clusters"_qs)->accessibleTabName(tab); }
};

} // namespace

// Several clusters in one window: real servers, and each session on a thread of its own.
class RealTabsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void twoClustersSideBySide()
    {
        Ensemble day("day");
        Ensemble night("night");
        const QTemporaryDir directory;
        QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        {
            Console console;
            console.window.connectTo({day.server.connectString(), "day"});
            console.action(u"tab.new"_qs)->trigger();
            console.window.connectTo({night.server.connectString(), "night"});
            const auto knows = [&](std::size_t tab) {
                return console.window.tab(tab).isConnected() && console.window.tab(tab).models().jobs.rowCount() > 20;
            };
            QTRY_VERIFY_WITH_TIMEOUT(knows(0) && knows(1), Patience);

            // A change in one reaches that server alone.
            console.action(u"connection.edit"_qs)->trigger();
            pause(console, u"gpu"_qs);
            QTRY_VERIFY_WITH_TIMEOUT(night.isPaused("gpu"), Patience);
            QVERIFY(!day.isPaused("gpu"));
            console.action(u"tab.previous"_qs)->trigger();
            console.window.showPage(u"queues"_qs);
            QVERIFY(!console.action(u"queue.pause"_qs)->isEnabled());

            // One that is away is shown as it was, and the other goes on.
            night.server.kill9();
            QTRY_VERIFY_WITH_TIMEOUT(!console.window.tab(1).isConnected(), Patience);
            console.action(u"tab.next"_qs)->trigger();
            QVERIFY(!console.words(1).contains(u": Connected"_qs));
            QVERIFY(console.window.shown().models().jobs.rowCount() > 20);
            const int before = console.window.tab(0).models().jobs.rowCount();
            test::await(day.cluster->addJob(test::SampleCluster::spec({u"true"_qs})));
            QTRY_COMPARE_WITH_TIMEOUT(console.window.tab(0).models().jobs.rowCount(), before + 1, Patience);
            console.window.saveTo(settings);

            // To close it ends its thread, although its server does not answer.
            console.action(u"tab.close"_qs)->trigger();
            QTRY_VERIFY_WITH_TIMEOUT(console.owners[1].expired(), Patience);
            QVERIFY(console.window.isConnected() && !console.owners[0].expired());
        }
        night.server.restart();
        Console console;
        console.window.restoreFrom(settings);
        QVERIFY(console.window.restoreTabs(settings));
        QCOMPARE(console.window.tabCount(), 2U);
        QTRY_VERIFY_WITH_TIMEOUT(console.window.tab(0).isConnected() && console.window.tab(1).isConnected(), Patience);
        QVERIFY(console.words(0).contains(u"read-only"_qs) && console.words(1).contains(u"editing is on"_qs));
    }

    // Its output and its feeds run while it is closed.
    void aBusyTabIsClosed()
    {
        Ensemble day("day");
        Console console;
        console.window.connectTo({day.server.connectString(), "day"});
        for (int round = 0; round < 5; ++round) {
            console.action(u"tab.new"_qs)->trigger();
            console.window.connectTo({day.server.connectString(), "other"});
            for (int i = 0; i < 20; ++i)
                test::await(day.cluster->addJob(test::SampleCluster::spec({u"true"_qs})));
            if (round % 2 == 0)
                QTRY_VERIFY_WITH_TIMEOUT(console.window.isConnected(), Patience);
            console.action(u"tab.close"_qs)->trigger();
            QTRY_VERIFY_WITH_TIMEOUT(console.owners.back().expired(), Patience);
        }
        QTRY_VERIFY_WITH_TIMEOUT(console.window.shown().models().jobs.rowCount() > 100, Patience);
        QVERIFY(day.server.watches() > 0);
    }

private:
    static void pause(const Console &console, const QString &queue)
    {
        console.window.shown().showPage(u"queues"_qs);
        auto *const table = console.window.shown().findChild<QueuesPage *>()->findChild<TableView *>();
        const auto row = [&] {
            for (int i = 0; i < table->model()->rowCount(); ++i) {
                if (table->model()->index(i, 0).data().toString().startsWith(queue))
                    return table->model()->index(i, 0);
            }
            return QModelIndex();
        };
        QTRY_VERIFY_WITH_TIMEOUT(row().isValid(), Patience);
        table->setCurrentIndex(row());
        console.action(u"queue.pause"_qs)->trigger();
        auto *const dialog = console.window.shown().findChild<ChangeDialog *>();
        QVERIFY(dialog);
        dialog->accept();
    }
};

QTEST_MAIN(RealTabsTest)
#include "real_tabs_test.moc"
