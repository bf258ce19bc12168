#pragma once

#include "gui/pages/queues_page.h"
#include "gui/sample_cluster.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/shell.h"
#include "gui/widgets/change_dialog.h"
#include "gui/widgets/table_view.h"
#include "gui/window_fixture.h"

#include <QApplication>
#include <QTabBar>
#include <QTest>

namespace drover::test {

inline const QString Elsewhere = QStringLiteral("127.0.0.1:2"); // the other ensemble in memory

// A window that may have tabs, and two clusters in memory, each on an ensemble of its own.
struct TwoClusters : FeedsFixture {
    struct Owner {
        ProcessLoop loop;
        gui::ConsoleSession session;
        gui::ConsoleModels models;

        Owner(VirtualLoop &world, const gui::SessionSource &source) : loop(world), session(loop, source)
        {
            gui::connectModels(models, session);
        }
    };

    FakeZooKeeper elsewhere{world};
    ProcessLoop otherLoop{world};
    std::unique_ptr<zk::Client> otherWriter = elsewhere.connect(otherLoop);
    SampleCluster otherCluster{*otherWriter, "night"};
    std::weak_ptr<Owner> last; // of the tab that was opened last
    QPointer<FakeSession> away; // the last session with the other ensemble
    gui::MainWindow window{models, console};

    TwoClusters()
    {
        gui::applyTheme(gui::ThemeChoice::Light);
        run(cluster.fill());
        run(otherCluster.fill());
        window.setSource([this] { return newBacking(); });
        window.resize(1400, 900);
        window.show();
        window.activateWindow();
        if (!QTest::qWaitForWindowActive(&window))
            throw std::runtime_error("the window does not become active");
    }

    gui::Backing newBacking()
    {
        auto owner = std::make_shared<Owner>(
            world, [this](async::Loop &loop, const gui::Target &target, const gui::GivenCredentials &) {
                auto &process = static_cast<ProcessLoop &>(loop);
                auto session = (target.connect == Elsewhere ? elsewhere : server).connect(process);
                if (target.connect == Elsewhere)
                    away = session.get();
                return gui::OpenedSession{std::move(session)};
            });
        owner->session.ensemble().setAsk([this](async::Loop &, zk::ServerList, QByteArrayList) { return answers(); });
        last = owner;
        return {&owner->models, &owner->session, owner};
    }
    // Two tabs, each connected; the second is shown.
    void openBoth()
    {
        window.connectTo({Nowhere, "default"});
        world.runFor(std::chrono::seconds(3));
        action(QStringLiteral("tab.new"))->trigger();
        window.connectTo({Elsewhere, "night"});
        world.runFor(std::chrono::seconds(3));
    }
    QAction *action(const QString &name) const { return window.shown().findChild<gui::ActionRegistry *>()->find(name); }
    QTabBar &bar() const { return *window.findChild<QTabBar *>(QStringLiteral("clusters")); }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::ControlModifier)
    {
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &window, key, modifiers);
    }
    QString page(std::size_t tab) const { return window.tab(tab).findChild<gui::Shell *>()->current()->name(); }
    void pauseQueue(const QString &name)
    {
        window.showPage(QStringLiteral("queues"));
        auto *const table = window.shown().findChild<gui::QueuesPage *>()->findChild<gui::TableView *>();
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            if (table->model()->index(row, 0).data().toString().startsWith(name))
                table->setCurrentIndex(table->model()->index(row, 0));
        }
        action(QStringLiteral("queue.pause"))->trigger();
        auto *const dialog = window.shown().findChild<gui::ChangeDialog *>();
        QVERIFY(dialog);
        dialog->accept();
        world.runFor(std::chrono::seconds(3));
    }
};

} // namespace drover::test
