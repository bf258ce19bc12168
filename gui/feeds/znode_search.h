#pragma once

#include "gui/data/znode_search.h"
#include "gui/feeds/feed.h"

namespace drover::gui {

// Searches a subtree, one search at a time. It walks node by node, with a bounded number of requests in flight, and
// sets no watch. A broken connection delays it. It ends with the session, after MaxFindings, and by stop().
class ZnodeSearch final : public Feed
{
    Q_OBJECT

public:
    static constexpr qsizetype MaxFindings = 1000;
    static constexpr std::size_t Flight = 16; // nodes at a time

    int watches() const override { return 0; }

public Q_SLOTS:
    void start(const drover::gui::ZnodeQuery &query); // ends the one that runs
    void stop();

Q_SIGNALS:
    void reported(const drover::gui::ZnodeSearchReport &report);

protected:
    void begin() override { }
    void end() override;

private:
    struct Walk;

    async::Task<void> run(ZnodeQuery query);
    async::Task<void> visit(const Walk &walk, const std::vector<zk::Path> &paths, Walk &step);
    void report(bool running, const QString &end = {});

    std::unique_ptr<async::TaskGroup> m_search; // null: none runs
    ZnodeSearchReport m_report;
    qsizetype m_found = 0;
    async::TimePoint m_lastReport{};
};

} // namespace drover::gui
