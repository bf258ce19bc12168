#include "app/submission/dependency_texts.h"

#include "app/cli/failure.h"
#include "app/jobs/job_selection.h"

namespace drover::app {

using jobs::Dependency;

namespace {

constexpr qint32 MostOfARange = 1000;
const QString TagPrefix = QStringLiteral("tag:");

std::vector<Dependency> rangeOf(Dependency::Kind kind, const QString &text, const QString &what)
{
    const jobs::JobRange range = JobSelection::parseRange(text);
    const qint32 first = range.first.isTask() ? range.first.task : range.first.number;
    if (range.last - first >= MostOfARange)
        throw UsageError(QStringLiteral("%1: \"%2\" is more than %3 jobs; wait for one job that waits for them")
                             .arg(what, text)
                             .arg(MostOfARange));
    std::vector<Dependency> all;
    for (qint64 number = first; number <= range.last; ++number) { // 64 bits: the last may be the largest of 32
        Dependency one{.kind = kind, .on = range.first, .range = range};
        (one.on.isTask() ? one.on.task : one.on.number) = static_cast<qint32>(number);
        all.push_back(std::move(one));
    }
    return all;
}

} // namespace

std::vector<Dependency> parseDependencies(Dependency::Kind kind, const QString &text, const QString &what)
{
    if (text.startsWith(TagPrefix) && text.size() > TagPrefix.size())
        return {Dependency{.kind = kind, .on = {}, .tag = text.mid(TagPrefix.size())}};
    if (JobSelection::isRange(text))
        return rangeOf(kind, text, what);
    const std::optional<jobs::JobId> id = jobs::JobId::parse(text);
    if (!id)
        throw UsageError(
            QStringLiteral("%1: \"%2\" is not a job id; an id is a queue and a number: default-42, a range "
                           "default-3..17, and tag:nightly means the jobs with that tag")
                .arg(what, text));
    return {Dependency{.kind = kind, .on = *id}};
}

QStringList dependencyTexts(const std::vector<Dependency> &dependencies, Dependency::Kind kind)
{
    QStringList texts;
    std::optional<jobs::JobRange> last;
    for (const Dependency &dependency : dependencies) {
        if (dependency.kind != kind || (dependency.range && dependency.range == last))
            continue; // a range is one word
        last = dependency.range;
        if (dependency.tag.isEmpty())
            texts.append(last ? last->toString() : dependency.on.toString());
        else
            texts.append(TagPrefix + dependency.tag);
    }
    return texts;
}

} // namespace drover::app
