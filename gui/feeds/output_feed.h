#pragma once

#include "gui/feeds/feed.h"
#include "output/output_source.h"

#include <map>

namespace drover::gui {

// What running attempts write, as it comes, for as long as somebody looks: asked of their workers. The last 64 KiB of
// each stream that are there at first, and then everything. Each request is told apart by a number of its asker's.
class OutputFeed final : public Feed
{
    Q_OBJECT

public:
    int watches() const override { return static_cast<int>(m_following.size()); }

public Q_SLOTS:
    void follow(int request, const drover::jobs::JobId &id, int attempt, const QString &worker);
    void stop(int request);

Q_SIGNALS:
    void grew(int request, const QByteArray &output, const QByteArray &error);
    void interrupted(int request, const QString &why); // tried again until the attempt has ended
    void ended(int request); // the attempt has; everything that could be had was told

protected:
    void begin() override { }
    void end() override;

private:
    async::Task<void> followTask(int request, jobs::JobId id, int attempt, QByteArray worker);
    async::Task<void> readForEver(int request, output::OutputSource &source, output::OutputRequest &next);
    async::Task<bool> readNext(int request, output::OutputSource &source, output::OutputRequest &next);

    std::map<int, async::TaskGroup> m_following;
};

} // namespace drover::gui
