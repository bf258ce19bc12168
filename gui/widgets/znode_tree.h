#pragma once

#include "zk/path.h"

#include <QTimer>
#include <QTreeView>

#include <optional>

namespace drover::gui {

class ToneDelegate;
class ZnodeModel;

// The view of the znode tree. It reports to the model which nodes are open and which rows are visible. Only the Stats
// of visible rows are refreshed, with one round trip every two seconds while the tree is visible. All children of an
// open node become rows, slice by slice, so that scrolling and the End key reach the last.
class ZnodeTree final : public QTreeView
{
    Q_OBJECT

public:
    explicit ZnodeTree(ZnodeModel &model, QWidget *parent = nullptr);

    // Opens the nodes on the way as they become known, then selects the last. It waits for those that do not exist yet.
    void reveal(const zk::Path &path);
    // Does the same. Where a node is missing, it selects the deepest that is there, and emits missing().
    void goTo(const zk::Path &path);
    std::optional<zk::Path> current() const;
    void refresh();
    void setStale(bool stale); // paints the nodes as out of date

Q_SIGNALS:
    void selected(const drover::zk::Path &path);
    void missing(const drover::zk::Path &path, const drover::zk::Path &deepest);

protected:
    void currentChanged(const QModelIndex &current, const QModelIndex &previous) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    void revealMoreInSight();
    void revealOn();
    void copyPath(); // of the current node
    void goOn();

    ZnodeModel &m_model;
    ToneDelegate *m_delegate;
    std::optional<zk::Path> m_goal;
    bool m_isPatient = false; // waits for the goal
    QTimer m_refresh;
    QTimer m_reveal; // what is open, slice by slice
};

} // namespace drover::gui
