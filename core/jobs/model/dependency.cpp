#include "jobs/model/dependency.h"

#include "jobs/model/json_fields.h"

#include <array>

namespace drover::jobs {

namespace {

constexpr std::array Names{"begun", "ok", "fail", "any"}; // in the order of Kind

} // namespace

std::optional<Dependency> Dependency::parse(const QString &text)
{
    const qsizetype colon = text.indexOf(u':');
    if (colon < 0)
        return std::nullopt;
    const std::optional<JobId> on = JobId::parse(text.mid(colon + 1));
    for (std::size_t i = 0; i < Names.size(); ++i) {
        if (on && text.first(colon) == QLatin1String(Names[i]))
            return Dependency{static_cast<Kind>(i), *on};
    }
    return std::nullopt;
}

QString Dependency::toString() const
{
    return QLatin1String(Names[static_cast<std::size_t>(kind)]) + u':' + on.toString();
}

QStringList toStrings(const std::vector<Dependency> &dependencies)
{
    QStringList texts;
    for (const Dependency &dependency : dependencies)
        texts.append(dependency.toString());
    return texts;
}

std::vector<Dependency> dependenciesFrom(const QStringList &texts)
{
    std::vector<Dependency> dependencies;
    for (const QString &text : texts) {
        const std::optional<Dependency> dependency = Dependency::parse(text);
        if (!dependency)
            throw Malformed(QStringLiteral("field \"after\": \"%1\" is not a dependency").arg(text));
        dependencies.push_back(*dependency);
    }
    return dependencies;
}

} // namespace drover::jobs
