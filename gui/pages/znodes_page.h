#pragma once

#include "gui/shell/page.h"

class QSplitter;

namespace drover::gui {

class ActionRegistry;
class NodeEdits;
class NodeView;
class PathBar;
class SearchPanel;
class ZnodeModel;
class ZnodeTree;

// The tree of znodes, and the selected one beside it. What changes them is in NodeEdits.
class ZnodesPage final : public Page
{
    Q_OBJECT

public:
    ZnodesPage(ZnodeModel &model, ActionRegistry &actions);

    NodeView &node() const { return *m_node; }
    PathBar &path() const { return *m_path; }
    SearchPanel &search() const { return *m_search; }
    NodeEdits &edits() const { return *m_edits; }
    // Opens the tree at that node, of a cluster that was not shown before.
    void openAt(const zk::Path &path);
    void select(const EntityRef &entity) override;
    EntityRef selection() const override { return m_selected; }
    void showState(const ConnectionState &state) override;
    void saveTo(QSettings &settings) const override;
    void restoreFrom(const QSettings &settings) override;

public Q_SLOTS:
    void goTo(const drover::zk::Path &path);

Q_SIGNALS:
    void nodeWanted(const drover::zk::Path &path);

protected:
    QWidget *mainPart() const override;

private:
    void addActions(ActionRegistry &actions);
    void addEdits(ActionRegistry &actions);
    void showSelected(const zk::Path &path);
    void openSearch(int scope);

    ZnodeModel &m_model;
    PathBar *m_path;
    ZnodeTree *m_tree;
    SearchPanel *m_search;
    NodeView *m_node;
    NodeEdits *m_edits;
    QSplitter *m_splitter;
    EntityRef m_selected;
};

} // namespace drover::gui
