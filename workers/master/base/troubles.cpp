#include "workers/master/base/troubles.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using jobs::ClusterStats;

Q_LOGGING_CATEGORY(lcTroubles, "drover.workers.troubles")

namespace {

constexpr qsizetype LongestError = 500; // characters

// At most so many; the last stands for the rest.
void addSome(std::vector<ClusterStats::Trouble> &list, const std::vector<ClusterStats::Trouble> &all, std::size_t most)
{
    const std::size_t named = all.size() <= most ? all.size() : most - std::min<std::size_t>(most, 1);
    list.insert(list.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(named));
    if (named == all.size() || most == 0)
        return;
    const auto others = static_cast<qint64>(all.size() - named);
    ClusterStats::Trouble rest{QStringLiteral("%1 more, such as %2").arg(others).arg(all[named].subject),
                               QStringLiteral("the master's log says what is wrong with each"), all[named].since};
    for (std::size_t i = named; i < all.size(); ++i)
        rest.since = std::min(rest.since, all[i].since);
    list.push_back(std::move(rest));
}

} // namespace

void Troubles::note(const QString &subject, const QString &error, const QString &kind)
{
    const auto [place, isNew] = m_troubles.try_emplace(subject);
    place->second.kind = kind;
    ClusterStats::Trouble &trouble = place->second.trouble;
    const QString line = error.simplified().left(LongestError);
    if (isNew)
        trouble = {subject, {}, m_loop.wallClock()};
    if (trouble.error != line)
        qCWarning(lcTroubles, "%ls: %ls", qUtf16Printable(subject), qUtf16Printable(line));
    trouble.error = line;
}

void Troubles::clear(const QString &subject)
{
    if (m_troubles.erase(subject) > 0)
        qCInfo(lcTroubles, "%ls: goes on", qUtf16Printable(subject));
}

std::vector<ClusterStats::Trouble> Troubles::first(std::size_t count) const
{
    std::map<QString, std::vector<ClusterStats::Trouble>> kinds;
    for (const auto &[subject, noted] : m_troubles)
        kinds[noted.kind].push_back(noted.trouble);
    const std::vector<ClusterStats::Trouble> single = std::exchange(kinds[QString()], {});
    std::vector<ClusterStats::Trouble> ofKinds;
    for (const auto &[kind, all] : kinds)
        addSome(ofKinds, all, MostOfAKind);
    ofKinds.resize(std::min(ofKinds.size(), count));
    std::vector<ClusterStats::Trouble> list;
    addSome(list, single, count - ofKinds.size());
    std::move(ofKinds.begin(), ofKinds.end(), std::back_inserter(list));
    return list;
}

} // namespace drover::workers
