#include "gui/feeds/history_feed.h"

#include "gui/text/format.h"
#include "recipes/follow.h"

namespace drover::gui {

namespace {

QString troubleOf(const jobs::ClusterStats::Archive &archive)
{
    const QString lost = archive.lost == 0
        ? QString()
        : HistoryFeed::tr(" %1 were deleted before they were in it.").arg(formatCount(archive.lost));
    const QString paused = archive.pausedSince.count() == 0
        ? QString()
        : HistoryFeed::tr(" No job is claimed since %1.").arg(formatInstant(archive.pausedSince.count()));
    if (!archive.error.isEmpty())
        return HistoryFeed::tr("The history fails since %1: %2. %3 records wait in ZooKeeper.")
                   .arg(formatInstant(archive.failingSince.count()), archive.error,
                        formatCount(archive.backlog.value_or(0)))
            + paused + lost;
    if (!paused.isEmpty())
        return HistoryFeed::tr("The history %1 does not keep up.").arg(archive.history) + paused + lost;
    return lost.isEmpty() ? QString() : HistoryFeed::tr("The history %1 has gaps.").arg(archive.history) + lost;
}

} // namespace

void HistoryFeed::begin()
{
    const auto onChange = [this](const zk::Node *node) {
        try {
            const jobs::ClusterStats stats = node ? jobs::ClusterStats::decode(node->data) : jobs::ClusterStats();
            show(stats.archive ? troubleOf(*stats.archive) : QString());
        } catch (const jobs::Malformed &) { // the master writes them anew when something changes
        }
    };
    spawn(recipes::followData(zk(), layout().stats(), onChange));
}

void HistoryFeed::end()
{
    show({});
}

void HistoryFeed::show(const QString &trouble)
{
    if (trouble == m_trouble)
        return;
    m_trouble = trouble;
    Q_EMIT troubleChanged(trouble);
}

} // namespace drover::gui
