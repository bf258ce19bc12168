#pragma once

#include "gui/data/snapshots.h"

#include <QMap>
#include <QWidget>

class QAction;
class QCompleter;
class QLabel;
class QLineEdit;
class QMenu;
class QToolButton;

namespace drover::gui {

class NameModel;
class VerbRow;

// The path of the selected node, as a field: one types or completes a path and goes there. Beside it are the bookmarks,
// which each ensemble has for itself, and what may be done to the node.
class PathBar final : public QWidget
{
    Q_OBJECT

public:
    using Bookmarks = QMap<QString, QStringList>; // by the servers of the connection: paths, sorted

    explicit PathBar(QWidget *parent = nullptr);

    void setPath(const zk::Path &path); // what is being typed stays
    void setConnection(const QString &servers);
    void offer(QAction *verb, const QString &text); // as a button with that text, or in the menu of its last one
    void edit(); // gives it the keyboard, with its text selected
    void toggleBookmark();
    void say(const QString &trouble); // until the next key; empty: nothing

    const Bookmarks &bookmarks() const { return m_bookmarks; }
    void setBookmarks(const Bookmarks &bookmarks) { m_bookmarks = bookmarks; }

public Q_SLOTS:
    void showNames(const drover::gui::ZnodeListing &listing);

Q_SIGNALS:
    void chosen(const drover::zk::Path &path);
    void bookmarksChanged(); // by the user
    void namesWanted(const drover::zk::Path &path); // of its children

protected:
    bool eventFilter(QObject *watched, QEvent *event) override; // Esc in the field restores its text

private:
    void completeBelow(const QString &text);
    void choose();
    void showBookmarks();

    zk::Path m_path;
    QString m_servers;
    Bookmarks m_bookmarks;
    std::optional<zk::Path> m_listed; // whose names are offered, or have been asked for
    QLineEdit *m_field;
    NameModel *m_names;
    QCompleter *m_completer;
    QToolButton *m_star;
    QMenu *m_menu;
    QLabel *m_trouble;
    VerbRow *m_verbs;
};

} // namespace drover::gui
