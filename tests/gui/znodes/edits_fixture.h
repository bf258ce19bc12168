#pragma once

#include "gui/pages/znodes_page.h"
#include "gui/pictures.h"
#include "gui/window_fixture.h"
#include "gui/znodes/node_change_dialog.h"
#include "gui/znodes/node_edits.h"

#include <QAction>
#include <QPushButton>
#include <QTest>

namespace drover::test {

inline async::Task<void> create(zk::Client &zk, zk::Path path, QByteArray data, zk::CreateMode mode)
{
    const auto made = co_await zk.create(path, data, mode);
    made.require();
}

inline async::Task<void> set(zk::Client &zk, zk::Path path, QByteArray data)
{
    const auto done = co_await zk.set(path, data);
    done.require();
}

inline async::Task<QByteArray> dataOf(zk::Client &zk, zk::Path path)
{
    const auto node = co_await zk.get(path);
    co_return node.ok() ? node->data : QByteArray("(missing)");
}

// The page of znodes with editing switched on by the window's switch, on a cluster in memory with a tree of our own.
struct EditsFixture : WindowFixture {
    gui::ZnodesPage *page = window.findChild<gui::ZnodesPage *>();
    gui::NodeEdits *edits = page->findChild<gui::NodeEdits *>();

    EditsFixture()
    {
        window.showPage(u"znodes"_qs);
        for (const char *const path : {"/app", "/app/a", "/app/a/b"})
            run(create(*writer, zk::Path(path), "data of " + QByteArray(path), zk::CreateMode::Persistent));
        goTo("/app/a");
    }
    void goTo(const char *path)
    {
        page->goTo(zk::Path(path));
        world.runFor(std::chrono::seconds(3));
    }
    void write(const char *path, const QByteArray &data) { run(set(*writer, zk::Path(path), data)); }
    QByteArray data(const char *path) { return run(dataOf(*writer, zk::Path(path))); }
    void allowChanges(bool allowed) { action(QStringLiteral("connection.edit"))->setChecked(allowed); }
    QAction *action(const QString &name) const { return window.findChild<QAction *>(name); }

    // The dialog that an action opens.
    template <typename Dialog>
    Dialog *open(const QString &name)
    {
        action(name)->trigger();
        world.runFor(std::chrono::seconds(2));
        return page->findChild<Dialog *>();
    }
    void press(QWidget *dialog, const QString &text)
    {
        const QList<QPushButton *> buttons = dialog->findChildren<QPushButton *>();
        for (QPushButton *const button : buttons) {
            if (button->isVisible() && button->text().remove(u'&') == text) {
                QVERIFY2(button->isEnabled(), qPrintable(text));
                button->click();
                world.runFor(std::chrono::seconds(3));
                QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete); // of a dialog that has closed
                return;
            }
        }
        QFAIL(qPrintable(u"there is no button "_qs + text));
    }
    static bool says(const QWidget *dialog, const QString &text)
    {
        const QList<QLabel *> labels = dialog->findChildren<QLabel *>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel *label) { return label->isVisible() && label->text().contains(text); });
    }
    bool isOpen() const { return page->findChild<gui::NodeChangeDialog *>() != nullptr; }
};

} // namespace drover::test
