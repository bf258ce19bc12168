#pragma once

#include "gui/data/znode_about.h"
#include "gui/data/znode_edits.h"

#include <QMap>
#include <QObject>
#include <QPointer>

#include <functional>

class QAction;
class QWidget;

namespace drover::gui {

class NodeChangeDialog;

// What the page of znodes does beside showing: all changes, which are refused while isEnabled() is false, and exports
// and comparisons, which change nothing. It owns the dialogs. The window connects its signals with the session.
class NodeEdits final : public QObject
{
    Q_OBJECT

public:
    explicit NodeEdits(QWidget *page) : QObject(page), m_page(page) { }

    bool isEnabled() const { return m_enabled; }
    void setEnabled(bool enabled); // by the switch of the window; refuses what an open dialog confirms, too
    void closeDialogs(); // they are about another ensemble
    // A change: its action is enabled while changes are, and a node is selected.
    void addChange(QAction *action);
    void setSelected(const ZnodeContents &contents, const ZnodeAbout &about);

    void create();
    void editData();
    void editAcl();
    void copy(bool move);
    void remove();
    void compare();
    void exportNodes();
    void importNodes();
    // The parts behind the file dialogs.
    void exportTo(const QString &file);
    void importFrom(const QString &file);

public Q_SLOTS:
    void take(int request, const drover::gui::ZnodeAnswer &answer);

Q_SIGNALS:
    void said(const QString &text);
    void goWanted(const drover::zk::Path &path);

    void createWanted(int request, const drover::gui::NewNode &node);
    void writeWanted(int request, const drover::gui::DataEdit &edit);
    void aclWanted(int request, const drover::gui::AclEdit &edit);
    void copyWanted(int request, const drover::gui::CopyOfNodes &copy);
    void measureWanted(int request, const drover::zk::Path &path);
    void removeWanted(int request, const drover::zk::Path &path, qint64 nodes);
    void readWanted(int request, const drover::zk::Path &path);
    void exportWanted(int request, const drover::zk::Path &path);
    void importWanted(int request, const drover::gui::ImportOfNodes &import);

private:
    bool hasNode() const; // that has been read
    bool mayChange() const { return m_enabled && hasNode(); }
    void open(NodeChangeDialog *dialog);
    int requestOf(NodeChangeDialog *dialog);
    void change(NodeChangeDialog *dialog, const std::function<void(int request)> &ask);
    void showActions();
    void keep(const QString &file, const ZnodeAnswer &answer);

    QWidget *m_page;
    bool m_enabled = false;
    ZnodeContents m_contents;
    ZnodeAbout m_about;
    QString m_compared; // the path that the last comparison was with
    QList<QAction *> m_changes;
    int m_lastRequest = 0;
    QMap<int, QPointer<NodeChangeDialog>> m_dialogs;
    QMap<int, QString> m_exports; // the files that wait for their content
};

} // namespace drover::gui
