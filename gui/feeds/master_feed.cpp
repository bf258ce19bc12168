#include "gui/feeds/master_feed.h"

#include "gui/text/format.h"
#include "jobs/model/cluster_stats.h"
#include "recipes/blocks/follow.h"
#include "text/quantity.h"

namespace drover::gui {

namespace {

QString troubleOfHistory(const jobs::ClusterStats::Archive &archive)
{
    const QString lost = archive.lost == 0
        ? QString()
        : MasterFeed::tr(" %1 were deleted before they were in it.").arg(text::formatCount(archive.lost));
    const QString paused = archive.pausedSince.count() == 0
        ? QString()
        : MasterFeed::tr(" No job is claimed since %1.").arg(formatInstant(archive.pausedSince.count()));
    if (!archive.error.isEmpty())
        return MasterFeed::tr("The history fails since %1: %2. %3 records wait in ZooKeeper.")
                   .arg(formatInstant(archive.failingSince.count()), archive.error,
                        text::formatCount(archive.backlog.value_or(0)))
            + paused + lost;
    if (!paused.isEmpty())
        return MasterFeed::tr("The history %1 does not keep up.").arg(archive.history) + paused + lost;
    return lost.isEmpty() ? QString() : MasterFeed::tr("The history %1 has gaps.").arg(archive.history) + lost;
}

QString troubleOf(const jobs::ClusterStats &stats)
{
    QStringList sentences;
    if (stats.archive)
        sentences.append(troubleOfHistory(*stats.archive));
    if (stats.archive && stats.archive->aside > 0)
        sentences.append(MasterFeed::tr("Final records that the master cannot read, and does not archive: %1.")
                             .arg(text::formatCount(stats.archive->aside)));
    if (!stats.troubles.empty()) {
        const jobs::ClusterStats::Trouble &first = stats.troubles.front();
        sentences.append(MasterFeed::tr("The master fails at %1 since %2: %3.")
                             .arg(first.subject, formatInstant(first.since.count()), first.error));
    }
    if (stats.troubles.size() > 1)
        sentences.append(MasterFeed::tr("It fails at %1 more: drover doctor lists them.")
                             .arg(text::formatCount(static_cast<qint64>(stats.troubles.size()) - 1)));
    sentences.removeAll(QString());
    return sentences.join(u' ');
}

} // namespace

void MasterFeed::begin()
{
    const auto onChange = [this](const zk::Node *node) {
        const auto stats = node ? jobs::tryDecode<jobs::ClusterStats>(node->data) : jobs::ClusterStats();
        if (stats) // malformed: the master writes them anew when something changes
            show(troubleOf(*stats));
    };
    spawn(recipes::followData(cluster().zk, cluster().layout.stats(), onChange));
}

void MasterFeed::end()
{
    show({});
}

void MasterFeed::show(const QString &trouble)
{
    if (trouble == m_trouble)
        return;
    m_trouble = trouble;
    Q_EMIT troubleChanged(trouble);
}

} // namespace drover::gui
