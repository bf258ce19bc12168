#include "gui/widgets/znode_tree.h"

#include "gui/models/znode_model.h"
#include "gui/widgets/tone_delegate.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QScrollBar>
#include <QShortcut>

namespace drover::gui {

namespace {

constexpr std::chrono::milliseconds RefreshInterval{2000};
constexpr std::chrono::milliseconds RevealInterval{20}; // leaves the keyboard its turn

} // namespace

ZnodeTree::ZnodeTree(ZnodeModel &model, QWidget *parent)
    : QTreeView(parent), m_model(model), m_delegate(new ToneDelegate(-1, this))
{
    setModel(&model);
    setItemDelegate(m_delegate);
    setUniformRowHeights(true);
    setAnimated(false);
    setAllColumnsShowFocus(true);
    setFrameShape(NoFrame);
    setAccessibleName(tr("Znodes"));
    setIndentation(16);
    header()->setStretchLastSection(false);
    header()->setHighlightSections(false);
    header()->setMinimumSectionSize(40);
    header()->setSectionResizeMode(ZnodeModel::Name, QHeaderView::Stretch);
    header()->setSectionResizeMode(ZnodeModel::ChildCount, QHeaderView::Fixed);
    header()->resizeSection(ZnodeModel::ChildCount, fontMetrics().horizontalAdvance(tr("Children")) + 24);

    auto *copy = new QShortcut(QKeySequence::Copy, this);
    copy->setContext(Qt::WidgetShortcut);
    connect(copy, &QShortcut::activated, this, &ZnodeTree::copyPath);
    connect(this, &QTreeView::expanded, &model, &ZnodeModel::open);
    connect(this, &QTreeView::collapsed, &model, &ZnodeModel::close);
    connect(this, &QTreeView::activated, &model, &ZnodeModel::revealMore);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &ZnodeTree::revealMoreInSight);
    connect(&model, &ZnodeModel::listingShown, this, &ZnodeTree::goOn);
    connect(&m_refresh, &QTimer::timeout, this, [this] {
        if (isVisible() && !window()->isMinimized())
            refresh();
    });
    m_refresh.start(RefreshInterval);
    connect(&m_reveal, &QTimer::timeout, this, &ZnodeTree::revealOn);
    connect(&model, &ZnodeModel::listingShown, this, [this] { m_reveal.start(RevealInterval); });
}

void ZnodeTree::refresh()
{
    QModelIndexList inSight;
    const int bottom = viewport()->height();
    for (QModelIndex index = indexAt(QPoint(0, 0)); index.isValid(); index = indexBelow(index)) {
        if (visualRect(index).top() > bottom)
            break;
        inSight.append(index.siblingAtColumn(0));
    }
    m_model.refreshStats(inSight);
}

void ZnodeTree::setStale(bool stale)
{
    m_delegate->setStale(stale);
    viewport()->update();
}

void ZnodeTree::revealOn()
{
    if (!m_model.revealSome())
        m_reveal.stop();
}

std::optional<zk::Path> ZnodeTree::current() const
{
    return m_model.pathOf(currentIndex());
}

void ZnodeTree::reveal(const zk::Path &path)
{
    m_goal = path;
    m_isPatient = true;
    goOn();
}

void ZnodeTree::goTo(const zk::Path &path)
{
    m_goal = path;
    m_isPatient = false;
    goOn();
}

void ZnodeTree::goOn()
{
    while (m_goal) {
        const QModelIndex goal = m_model.indexOf(*m_goal);
        if (goal.isValid()) {
            m_goal.reset();
            if (m_isPatient)
                expand(goal);
            setCurrentIndex(goal);
            scrollTo(goal, PositionAtCenter);
            return;
        }
        zk::Path next = *m_goal; // the child of the deepest that is there
        while (!m_model.indexOf(next.parent()).isValid())
            next = next.parent();
        const QModelIndex known = m_model.indexOf(next.parent());
        if (!isExpanded(known)) {
            expand(known);
        } else if (!m_model.isListed(known)) {
            return; // until it is listed
        } else if (!m_model.revealChild(next)) {
            if (m_isPatient)
                return; // until it is created
            const zk::Path path = *std::exchange(m_goal, std::nullopt);
            setCurrentIndex(known);
            Q_EMIT missing(path, next.parent());
        }
    }
}

void ZnodeTree::currentChanged(const QModelIndex &current, const QModelIndex &previous)
{
    QTreeView::currentChanged(current, previous);
    if (const std::optional<zk::Path> path = m_model.pathOf(current)) {
        m_goal.reset();
        Q_EMIT selected(*path);
    }
}

void ZnodeTree::revealMoreInSight()
{
    const int bottom = viewport()->height();
    for (QModelIndex row = indexAt(QPoint(0, 0)); row.isValid(); row = indexBelow(row)) {
        if (visualRect(row).top() > bottom)
            return;
        if (row.data(ZnodeModel::MoreRole).toBool())
            return m_model.revealMore(row.siblingAtColumn(0)); // what it reveals moves all below it
    }
}

void ZnodeTree::copyPath()
{
    if (const std::optional<zk::Path> path = current())
        QGuiApplication::clipboard()->setText(path->toString());
}

void ZnodeTree::contextMenuEvent(QContextMenuEvent *event)
{
    const QModelIndex index = indexAt(event->pos());
    const std::optional<zk::Path> path = m_model.pathOf(index);
    if (!path)
        return;
    QMenu menu(this);
    menu.addAction(tr("&Copy path"), this, [path] { QGuiApplication::clipboard()->setText(path->toString()); });
    menu.addAction(tr("&Refresh counts"), this, &ZnodeTree::refresh);
    menu.exec(event->globalPos());
}

} // namespace drover::gui
