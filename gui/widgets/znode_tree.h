#pragma once

#include "zk/path.h"

#include <QTimer>
#include <QTreeView>

#include <optional>

namespace drover::gui {

class ToneDelegate;
class ZnodeModel;

// The view of the znode tree. It reports to the model which nodes are open and which rows are visible. Only the Stats
// of visible rows are refreshed, with one round trip every two seconds while the tree is visible.
class ZnodeTree final : public QTreeView
{
    Q_OBJECT

public:
    explicit ZnodeTree(ZnodeModel &model, QWidget *parent = nullptr);

    // Opens the nodes on the way as they become known, then selects the last.
    void reveal(const zk::Path &path);
    void refresh();
    void setStale(bool stale); // paints the nodes as out of date

Q_SIGNALS:
    void selected(const drover::zk::Path &path);

protected:
    void currentChanged(const QModelIndex &current, const QModelIndex &previous) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    void revealMoreInSight();
    void copyPath(); // of the current node
    void goOn();

    ZnodeModel &m_model;
    ToneDelegate *m_delegate;
    std::optional<zk::Path> m_goal;
    QTimer m_refresh;
};

} // namespace drover::gui
