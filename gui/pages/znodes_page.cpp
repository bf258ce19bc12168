#include "gui/pages/znodes_page.h"

#include "gui/models/znode_model.h"
#include "gui/shell/action_registry.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/node_view.h"
#include "gui/widgets/znode_tree.h"

#include <QAction>
#include <QSettings>
#include <QSplitter>
#include <QVBoxLayout>

namespace drover::gui {

ZnodesPage::ZnodesPage(ZnodeModel &model, ActionRegistry &actions)
    : Page(QStringLiteral("znodes"), tr("Znodes")), m_model(model), m_tree(new ZnodeTree(model)), m_node(new NodeView),
      m_splitter(new QSplitter)
{
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_splitter);
    m_splitter->addWidget(m_tree);
    m_splitter->addWidget(m_node);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(1);
    m_splitter->setSizes({400, 600}); // shares, not pixels
    connect(m_tree, &ZnodeTree::selected, this, [this](const zk::Path &path) {
        m_node->awaitContents(path);
        Q_EMIT nodeWanted(path);
    });
    auto *const refresh = new QAction(lineIcon(QStringLiteral("repeat")), tr("&Refresh counts of the tree"), this);
    connect(refresh, &QAction::triggered, m_tree, &ZnodeTree::refresh);
    actions.add("znode.refresh", refresh, Qt::Key_F5, this);
}

void ZnodesPage::openAt(const zk::Path &path)
{
    m_model.clear();
    m_node->clear();
    m_tree->reveal(path);
}

void ZnodesPage::showState(const ConnectionState &state)
{
    m_tree->setStale(state.isStale());
}

void ZnodesPage::saveTo(QSettings &settings) const
{
    settings.setValue(QStringLiteral("znodes/splitter"), m_splitter->saveState());
}

void ZnodesPage::restoreFrom(const QSettings &settings)
{
    m_splitter->restoreState(settings.value(QStringLiteral("znodes/splitter")).toByteArray());
}

QWidget *ZnodesPage::mainPart() const
{
    return m_tree;
}

} // namespace drover::gui
