#pragma once

#include "app/environment/credentials_file.h"
#include "app/support/access_of.h"
#include "gui/credentials/credentials_dialog.h"
#include "gui/credentials/credentials_text.h"
#include "gui/feeds/feed_thread.h"
#include "gui/window/main_window.h"
#include "gui/workspace/console_models.h"
#include "zk/client/session.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QTest>

#include <algorithm>

namespace drover::test {

// As the program opens sessions where no file has credentials.
inline gui::OpenedSession openSession(async::Loop &loop, const gui::Target &target, const gui::GivenCredentials &given)
{
    zk::SessionOptions options;
    options.servers = target.connect;
    options.timeout = std::chrono::seconds(10);
    options.access = given.digest.isEmpty() ? app::accessWith(nullptr, jobs::Layout(target.cluster))
                                            : app::accessByPassword(given.digest, jobs::Layout(target.cluster));
    if (given.ofCluster)
        options.access = accessOf(*given.ofCluster);
    auto session = std::make_unique<zk::Session>(loop, options);
    session->open();
    return {std::move(session), given.ofCluster, given.ofCluster ? QString() : gui::passwordUser(options.access)};
}

template <typename Widget>
Widget *named(const QWidget &parent, const QString &text)
{
    const QList<Widget *> all = parent.findChildren<Widget *>();
    for (Widget *const one : all) {
        if (one->text().remove(u'&') == text)
            return one;
    }
    return nullptr;
}

inline bool says(const QWidget &window, const QString &words)
{
    const QList<QLabel *> labels = window.findChildren<QLabel *>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel *label) {
        return label->isVisibleTo(&window) && label->text().contains(words);
    });
}

inline void paste(gui::CredentialsDialog &dialog, const QByteArray &text)
{
    QGuiApplication::clipboard()->setText(QString::fromUtf8(text));
    named<QPushButton>(dialog, QStringLiteral("Paste"))->click();
}

inline void connectBy(gui::CredentialsDialog &dialog)
{
    named<QPushButton>(dialog, QStringLiteral("Connect"))->click();
}

// The console's window on real servers, which asks for credentials.
struct AskingConsole {
    gui::FeedThread feeds{openSession};
    gui::ConsoleModels models;
    gui::MainWindow window{models, feeds.session()};

    AskingConsole()
    {
        gui::connectModels(models, feeds.session());
        window.show();
    }
    gui::CredentialsDialog *dialog() const
    {
        const QList<gui::CredentialsDialog *> all = window.findChildren<gui::CredentialsDialog *>();
        return all.isEmpty() ? nullptr : all.last();
    }
    QString user() const { return window.shown().state().session.user; }
    // The cluster's jobs have been read.
    bool isAllowed() const { return window.shown().state().clusterExists; }
    gui::ClusterAccess access() const { return window.shown().state().session.access; }
    QAction *action(const QString &name) const { return window.findChild<QAction *>(name); }
    void press(const QString &button) const { named<QPushButton>(window, button)->click(); }
};

} // namespace drover::test
