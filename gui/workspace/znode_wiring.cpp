#include "gui/workspace/znode_wiring.h"

#include "gui/feeds/console_session.h"
#include "gui/pages/znodes_page.h"
#include "gui/shell/gateway.h"
#include "gui/znodes/node_edits.h"
#include "gui/znodes/node_view.h"
#include "gui/znodes/path_bar.h"
#include "gui/znodes/search_panel.h"

namespace drover::gui {

namespace {

void wireEdits(NodeEdits &edits, ZnodeEdits &feed, const Gateway &gateway)
{
    QObject::connect(&edits, &NodeEdits::createWanted, &feed, &ZnodeEdits::create);
    QObject::connect(&edits, &NodeEdits::writeWanted, &feed, &ZnodeEdits::write);
    QObject::connect(&edits, &NodeEdits::aclWanted, &feed, &ZnodeEdits::setAcl);
    QObject::connect(&edits, &NodeEdits::copyWanted, &feed, &ZnodeEdits::copy);
    QObject::connect(&edits, &NodeEdits::measureWanted, &feed, &ZnodeEdits::measure);
    QObject::connect(&edits, &NodeEdits::removeWanted, &feed, &ZnodeEdits::remove);
    QObject::connect(&edits, &NodeEdits::readWanted, &feed, &ZnodeEdits::read);
    QObject::connect(&edits, &NodeEdits::exportWanted, &feed, &ZnodeEdits::exportTo);
    QObject::connect(&edits, &NodeEdits::importWanted, &feed, &ZnodeEdits::importFrom);
    QObject::connect(&feed, &ZnodeEdits::answered, &edits, &NodeEdits::take);
    const auto obey = [&edits, &gateway] { edits.setEnabled(gateway.isEditing()); };
    QObject::connect(&gateway, &Gateway::changed, &edits, obey);
    obey();
}

} // namespace

void wireZnodes(ZnodesPage &page, ConsoleSession &session, const Gateway &gateway)
{
    ZnodeFeed *const feed = &session.znodes();
    QObject::connect(&page, &ZnodesPage::nodeWanted, feed, &ZnodeFeed::select);
    QObject::connect(feed, &ZnodeFeed::contentsRead, &page.node(), &NodeView::show);
    QObject::connect(feed, &ZnodeFeed::aboutRead, &page.node(), &NodeView::showAbout);
    QObject::connect(&page.path(), &PathBar::namesWanted, feed, &ZnodeFeed::list);
    QObject::connect(feed, &ZnodeFeed::listedOnce, &page.path(), &PathBar::showNames);
    ZnodeSearch *const search = &session.znodeSearch();
    QObject::connect(&page.search(), &SearchPanel::searchWanted, search, &ZnodeSearch::start);
    QObject::connect(&page.search(), &SearchPanel::stopWanted, search, &ZnodeSearch::stop);
    QObject::connect(search, &ZnodeSearch::reported, &page.search(), &SearchPanel::showReport);
    wireEdits(page.edits(), session.znodeEdits(), gateway);
}

} // namespace drover::gui
