#pragma once

#include "gui/data/znode_about.h"
#include "gui/feeds/feed.h"

#include <functional>
#include <set>

namespace drover::gui {

// Follows the znodes that the tree shows, with one watch for each open node. The data of the selected node, and of each
// that is inspected, has a watch as well. All of them are followed again after a new session.
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
    // Follows the data of another node for one viewer, until it wants no more or another node.
    void inspect(int viewer, const drover::zk::Path &path);
    void inspectNoMore(int viewer);
    void list(const drover::zk::Path &path); // once; of several calls only the last is answered

Q_SIGNALS:
    void listed(const drover::gui::ZnodeListing &listing); // an open node
    void listedOnce(const drover::gui::ZnodeListing &listing);
    void statsRead(const QList<drover::gui::ZnodeStat> &stats);
    void contentsRead(const drover::gui::ZnodeContents &contents);
    void inspected(const drover::gui::ZnodeContents &contents); // for all viewers of that node
    void aboutRead(const drover::gui::ZnodeAbout &about); // follows the contents
    void tooManyOpen(int limit);

protected:
    void begin() override;
    void end() override;

private:
    async::Task<void> follow(zk::Path path);
    async::Task<void> followSelected(zk::Path path);
    async::Task<void> followInspected(zk::Path path);
    async::Task<void> followData(zk::Path path, std::function<void(const ZnodeContents &)> show);
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
    struct Viewer {
        zk::Path path;
        std::unique_ptr<async::TaskGroup> tasks{};
    };
    std::map<int, Viewer> m_viewers;
    bool m_readingStats = false;
};

} // namespace drover::gui
