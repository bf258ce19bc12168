#pragma once

#include "zk/path.h"

#include <QTimer>
#include <QTreeView>

#include <optional>

namespace drover::gui {

class ZnodeModel;

// The tree of znodes. Tells the model what is open, and which rows are in sight: only their Stats are kept fresh, with
// one round trip every two seconds while the tree can be seen.
class ZnodeTree final : public QTreeView
{
    Q_OBJECT

public:
    explicit ZnodeTree(ZnodeModel &model, QWidget *parent = nullptr);

    // Opens the nodes on the way as they become known, then selects the last.
    void reveal(const zk::Path &path);
    void refresh();

Q_SIGNALS:
    void selected(const drover::zk::Path &path);

protected:
    void currentChanged(const QModelIndex &current, const QModelIndex &previous) override;
    void contextMenuEvent(QContextMenuEvent *event) override;

private:
    void revealMoreInSight();
    void goOn();

    ZnodeModel &m_model;
    std::optional<zk::Path> m_goal;
    QTimer m_refresh;
};

} // namespace drover::gui
