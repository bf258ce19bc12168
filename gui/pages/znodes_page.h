#pragma once

#include "gui/shell/page.h"

class QSplitter;

namespace drover::gui {

class ActionRegistry;
class NodeView;
class ZnodeModel;
class ZnodeTree;

// The tree of znodes, and the selected one beside it. Both are read-only.
class ZnodesPage final : public Page
{
    Q_OBJECT

public:
    ZnodesPage(ZnodeModel &model, ActionRegistry &actions);

    NodeView &node() const { return *m_node; }
    // Opens the tree at that node, of a cluster that was not shown before.
    void openAt(const zk::Path &path);
    void showState(const ConnectionState &state) override;
    void saveTo(QSettings &settings) const override;
    void restoreFrom(const QSettings &settings) override;

Q_SIGNALS:
    void nodeWanted(const drover::zk::Path &path);

protected:
    QWidget *mainPart() const override;

private:
    ZnodeModel &m_model;
    ZnodeTree *m_tree;
    NodeView *m_node;
    QSplitter *m_splitter;
};

} // namespace drover::gui
