#include "gui/pages/znodes_page.h"

#include "gui/models/znode_model.h"
#include "gui/shell/action_registry.h"
#include "gui/text/marks.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/znode_tree.h"
#include "gui/znodes/node_edits.h"
#include "gui/znodes/node_view.h"
#include "gui/znodes/path_bar.h"
#include "gui/znodes/search_panel.h"

#include <QAction>
#include <QSettings>
#include <QSplitter>
#include <QVBoxLayout>

namespace drover::gui {

namespace {

QString bookmarksKey()
{
    return QStringLiteral("znodes/bookmarks");
}

// As settings keep them: a map from the servers to the paths. Invalid paths are left out.
PathBar::Bookmarks bookmarksIn(const QVariantMap &saved)
{
    PathBar::Bookmarks bookmarks;
    for (auto it = saved.begin(); it != saved.end(); ++it) {
        const QStringList paths = it->toStringList();
        for (const QString &path : paths) {
            try {
                bookmarks[it.key()] << zk::Path(path.toUtf8()).toString();
            } catch (const zk::InvalidPath &) { // changed by hand
            }
        }
    }
    return bookmarks;
}

} // namespace

ZnodesPage::ZnodesPage(ZnodeModel &model, ActionRegistry &actions)
    : Page(QStringLiteral("znodes"), tr("Znodes")), m_model(model), m_path(new PathBar), m_tree(new ZnodeTree(model)),
      m_search(new SearchPanel), m_node(new NodeView), m_edits(new NodeEdits(this)), m_splitter(new QSplitter)
{
    auto *const left = new QSplitter(Qt::Vertical);
    for (QWidget *const part : std::initializer_list<QWidget *>{m_tree, m_search})
        left->addWidget(part);
    left->setChildrenCollapsible(false);
    left->setStretchFactor(0, 1);
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_splitter, 1);
    column->insertWidget(0, m_path); // behind the tree in the order of the keyboard
    m_splitter->addWidget(left);
    m_splitter->addWidget(m_node);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(1);
    m_splitter->setSizes({400, 600}); // shares, not pixels
    connect(m_tree, &ZnodeTree::selected, this, &ZnodesPage::showSelected);
    connect(m_tree, &ZnodeTree::missing, this, [this](const zk::Path &path, const zk::Path &deepest) {
        m_path->say(tr("There is no node %1 below %2.")
                        .arg(marked(path.bytes().mid(deepest.isRoot() ? 1 : deepest.bytes().size() + 1)),
                             marked(deepest.bytes())));
    });
    connect(m_path, &PathBar::chosen, this, [this](const zk::Path &path) {
        m_tree->setFocus();
        goTo(path);
    });
    connect(m_search, &SearchPanel::chosen, this, &ZnodesPage::goTo);
    connect(m_search, &SearchPanel::closed, m_tree, qOverload<>(&QWidget::setFocus));
    showEntities(EntityRef::Kind::Znode);
    connect(m_node, &NodeView::entityWanted, this, &ZnodesPage::entityWanted);
    connect(m_node, &NodeView::shown, this, [this] { m_edits->setSelected(m_node->contents(), m_node->about()); });
    connect(m_edits, &NodeEdits::said, m_path, &PathBar::say);
    connect(m_edits, &NodeEdits::goWanted, m_tree, &ZnodeTree::reveal); // once it is listed
    addActions(actions);
    addEdits(actions);
}

void ZnodesPage::addActions(ActionRegistry &actions)
{
    const auto add = [&](const char *name, const QString &icon, const QString &text, const QKeySequence &key,
                         std::function<void()> act) {
        auto *const action = new QAction(icon.isEmpty() ? QIcon() : lineIcon(icon), text, this);
        connect(action, &QAction::triggered, this, std::move(act));
        actions.add(name, action, key, this);
    };
    add("znode.go", {}, tr("&Go to a path"), Qt::CTRL | Qt::Key_L, [this] { m_path->edit(); });
    add("znode.find", QStringLiteral("search"), tr("&Find among the siblings"), QKeySequence::Find,
        [this] { openSearch(SearchPanel::Siblings); });
    add("znode.search", QStringLiteral("search"), tr("Search the &names below the node"),
        Qt::CTRL | Qt::SHIFT | Qt::Key_F, [this] { openSearch(SearchPanel::NamesBelow); });
    add("znode.searchdata", QStringLiteral("search"), tr("Search the &data below the node"),
        Qt::CTRL | Qt::SHIFT | Qt::Key_D, [this] { openSearch(SearchPanel::DataBelow); });
    add("znode.bookmark", QStringLiteral("star"), tr("&Bookmark the node, or remove its bookmark"),
        Qt::CTRL | Qt::Key_D, [this] { m_path->toggleBookmark(); });
    add("znode.refresh", QStringLiteral("repeat"), tr("&Refresh counts of the tree"), Qt::Key_F5,
        [this] { m_tree->refresh(); });
}

void ZnodesPage::addEdits(ActionRegistry &actions)
{
    const auto add = [&](const char *name, const QString &text, const QKeySequence &key, std::function<void()> act,
                         const ActionRegistry::Need &need = trust::Need()) {
        auto *const action = new QAction(text, this);
        connect(action, &QAction::triggered, this, std::move(act));
        actions.add(name, action, key, this, need);
        return action;
    };
    add("znode.compare", tr("C&ompare with another node…"), {}, [this] { m_edits->compare(); }, {});
    add("znode.export", tr("&Export the node and all below it…"), {}, [this] { m_edits->exportNodes(); }, {});
    for (QAction *const change : // whose role the ACLs of the nodes decide about
         {add("znode.create", tr("&Create a node below it…"), Qt::Key_Insert, [this] { m_edits->create(); }),
          add("znode.edit", tr("Edit its &data…"), Qt::Key_F2, [this] { m_edits->editData(); }),
          add("znode.acl", tr("Edit its &ACL…"), {}, [this] { m_edits->editAcl(); }),
          add("znode.copy", tr("Co&py it with all below it…"), {}, [this] { m_edits->copy(false); }),
          add("znode.move", tr("&Move it with all below it…"), {}, [this] { m_edits->copy(true); }),
          add("znode.import", tr("&Import below it…"), {}, [this] { m_edits->importNodes(); }),
          add("znode.delete", tr("De&lete it with all below it…"), QKeySequence::Delete,
              [this] { m_edits->remove(); })})
        m_edits->addChange(change);
    m_path->offer(actions.find(QStringLiteral("znode.create")), tr("Create…"));
    m_path->offer(actions.find(QStringLiteral("znode.edit")), tr("Edit…"));
    m_path->offer(actions.find(QStringLiteral("znode.delete")), tr("Delete…"));
    m_path->offer(actions.find(QStringLiteral("znode.search")), tr("Search"));
}

void ZnodesPage::showSelected(const zk::Path &path)
{
    m_selected = {EntityRef::Kind::Znode, path.bytes()};
    m_node->awaitContents(path);
    m_path->setPath(path);
    m_path->say({});
    m_search->setPlace(path, m_model.childNames(path.parent()));
    Q_EMIT nodeWanted(path);
    Q_EMIT selectionChanged();
}

void ZnodesPage::openSearch(int scope)
{
    if (const std::optional<zk::Path> path = m_tree->current())
        m_search->setPlace(*path, m_model.childNames(path->parent()));
    m_search->open(SearchPanel::Scope(scope));
}

void ZnodesPage::goTo(const zk::Path &path)
{
    m_tree->goTo(path);
}

void ZnodesPage::openAt(const zk::Path &path)
{
    m_edits->closeDialogs();
    m_model.clear();
    m_node->clear();
    m_tree->reveal(path);
}

void ZnodesPage::select(const EntityRef &entity)
{
    m_tree->reveal(zk::Path(entity.name));
}

void ZnodesPage::showState(const ConnectionState &state)
{
    m_tree->setStale(state.isStale());
    m_path->setConnection(state.session.target.connect);
}

void ZnodesPage::saveTo(QSettings &settings) const
{
    settings.setValue(QStringLiteral("znodes/splitter"), m_splitter->saveState());
    QVariantMap bookmarks;
    for (auto it = m_path->bookmarks().begin(); it != m_path->bookmarks().end(); ++it)
        bookmarks.insert(it.key(), *it);
    settings.setValue(bookmarksKey(), bookmarks);
}

void ZnodesPage::restoreFrom(const QSettings &settings)
{
    m_splitter->restoreState(settings.value(QStringLiteral("znodes/splitter")).toByteArray());
    m_path->setBookmarks(bookmarksIn(settings.value(bookmarksKey()).toMap()));
}

QWidget *ZnodesPage::mainPart() const
{
    return m_tree;
}

} // namespace drover::gui
