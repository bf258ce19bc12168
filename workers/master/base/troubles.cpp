#include "workers/master/base/troubles.h"

#include <QLoggingCategory>

namespace drover::workers {

Q_LOGGING_CATEGORY(lcTroubles, "drover.workers.troubles")

namespace {

constexpr qsizetype LongestError = 500; // characters

} // namespace

void Troubles::note(const QString &subject, const QString &error)
{
    const auto [place, isNew] = m_troubles.try_emplace(subject);
    jobs::ClusterStats::Trouble &trouble = place->second;
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

std::vector<jobs::ClusterStats::Trouble> Troubles::first(std::size_t count) const
{
    std::vector<jobs::ClusterStats::Trouble> list;
    for (const auto &[subject, trouble] : m_troubles) {
        if (list.size() < count)
            list.push_back(trouble);
    }
    return list;
}

} // namespace drover::workers
