#include "gui/feeds/feed_thread.h"
#include "gui/pages/znodes_page.h"
#include "gui/session_with.h"
#include "gui/window/main_window.h"
#include "gui/znodes/create_dialog.h"
#include "gui/znodes/data_dialog.h"
#include "gui/znodes/node_edits.h"
#include "gui/znodes/node_view.h"
#include "support/await.h"
#include "support/zk_server.h"
#include "zk/client/session.h"

#include <QAction>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

constexpr int Patience = 60'000; // ms

void press(const QWidget &dialog, const QString &text)
{
    const QList<QPushButton *> buttons = dialog.findChildren<QPushButton *>();
    const auto found = std::find_if(buttons.begin(), buttons.end(),
                                    [&](const QPushButton *one) { return one->isVisible() && one->text() == text; });
    QVERIFY2(found != buttons.end(), qPrintable(text));
    (*found)->click();
}

} // namespace

// The page of znodes, its feeds on their thread, and a real ZooKeeper server.
class ZnodesRealTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aServerKilledInMidEditLosesNoText()
    {
        test::TestServer server;
        server.start();
        FeedThread feeds([](async::Loop &loop, const Target &target, const GivenCredentials &) {
            return OpenedSession{test::sessionWith(loop, target.connect, 4s)};
        });
        ConsoleModels models;
        connectModels(models, feeds.session());
        MainWindow window(models, feeds.session());
        window.resize(1200, 800);
        window.setVisible(true);
        window.connectTo({server.connectString(), "default"});
        window.showPage(u"znodes"_qs);
        auto *const page = window.findChild<ZnodesPage *>();
        window.findChild<QAction *>(u"connection.edit"_qs)->setChecked(true);
        QTRY_VERIFY_WITH_TIMEOUT(window.isConnected(), Patience);
        page->goTo(zk::Path("/"));
        QAction *const create = window.findChild<QAction *>(u"znode.create"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(create->isEnabled(), Patience);
        create->trigger();
        auto *const creating = page->findChild<CreateDialog *>();
        creating->findChild<QLineEdit *>()->setText(u"settings"_qs);
        creating->findChild<QPlainTextEdit *>()->setPlainText(u"color=red"_qs);
        press(*creating, u"Create"_qs);
        const auto shown = [&] { return page->node().contents(); };
        QTRY_COMPARE_WITH_TIMEOUT(shown().path, zk::Path("/settings"), Patience);
        QTRY_COMPARE_WITH_TIMEOUT(shown().data, QByteArray("color=red"), Patience);

        window.findChild<QAction *>(u"znode.edit"_qs)->trigger();
        auto *const editing = page->findChild<DataDialog *>();
        auto *const editor = editing->findChild<QPlainTextEdit *>();
        editor->setPlainText(u"color=blue"_qs);
        press(*editing, u"Review…"_qs);
        server.kill9();
        press(*editing, u"Write"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(!window.isConnected(), Patience);
        QCOMPARE(editor->toPlainText(), u"color=blue"_qs);
        server.restart();
        QTRY_VERIFY_WITH_TIMEOUT(window.isConnected(), Patience);
        // The write is answered, in whichever way it met the end of the server; a refused one is pressed again.
        const auto isOpen = [&] { return page->findChild<DataDialog *>() != nullptr; };
        const auto writable = [&] {
            const QList<QPushButton *> buttons = editing->findChildren<QPushButton *>();
            return std::any_of(buttons.begin(), buttons.end(), [](const QPushButton *button) {
                return button->text() == u"Write" && button->isVisible() && button->isEnabled();
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(!isOpen() || writable(), Patience);
        if (isOpen()) {
            QCOMPARE(editor->toPlainText(), u"color=blue"_qs);
            press(*editing, u"Write"_qs);
        }
        QTRY_VERIFY_WITH_TIMEOUT(!isOpen(), Patience);
        QTRY_COMPARE_WITH_TIMEOUT(shown().data, QByteArray("color=blue"), Patience);
    }
};

QTEST_MAIN(ZnodesRealTest)
#include "znodes_real_test.moc"
