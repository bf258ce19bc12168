#pragma once

#include "gui/data/znode_about.h"
#include "gui/feeds/feed.h"

#include <set>

namespace drover::gui {

// Follows the znodes that the tree shows, with one watch for each open node and one for the data of the selected node.
// It remembers over sessions which nodes are open and selected.
class ZnodeFeed final : public Feed
{
    Q_OBJECT

public:
    // After a reconnection the C client sends all watches in one request, which has to stay under 1 MB.
    static constexpr std::size_t MaxOpen = 2000;

    int watches() const override { return m_watches; }

public Q_SLOTS:
    void open(const drover::zk::Path &path);
    void close(const drover::zk::Path &path);
    void select(const drover::zk::Path &path);
    void readStats(const QList<drover::zk::Path> &paths);
    void list(const drover::zk::Path &path); // once; of several calls only the last is answered

Q_SIGNALS:
    void listed(const drover::gui::ZnodeListing &listing); // an open node
    void listedOnce(const drover::gui::ZnodeListing &listing);
    void statsRead(const QList<drover::gui::ZnodeStat> &stats);
    void contentsRead(const drover::gui::ZnodeContents &contents);
    void aboutRead(const drover::gui::ZnodeAbout &about); // follows the contents
    void tooManyOpen(int limit);

protected:
    void begin() override;
    void end() override;

private:
    async::Task<void> follow(zk::Path path);
    async::Task<void> followSelected(zk::Path path);
    async::Task<void> readAbout(zk::Path path, zk::Stat stat);
    async::Task<QString> ownerOf(zk::SessionId session);
    async::Task<void> readStatsOf(QList<zk::Path> paths);
    async::Task<void> listOnce(zk::Path path);

    int m_watches = 0;
    std::set<zk::Path> m_open;
    std::optional<zk::Path> m_selected;
    std::map<zk::Path, std::unique_ptr<async::TaskGroup>> m_following;
    std::unique_ptr<async::TaskGroup> m_followingSelected;
    std::unique_ptr<async::TaskGroup> m_aboutSelected; // readAbout()
    std::unique_ptr<async::TaskGroup> m_listing; // list()
    bool m_readingStats = false;
};

} // namespace drover::gui
