#include "workers/master/waiting/dependency_rules.h"

#include <set>

namespace drover::workers {

using jobs::Dependency;
using State = DependencyWatcher::State;

std::optional<bool> isSatisfied(Dependency::Kind kind, State state)
{
    if (state == State::Open || (state == State::Begun && kind != Dependency::Kind::Begun))
        return std::nullopt;
    const bool matters = kind == Dependency::Kind::Ok || kind == Dependency::Kind::Failed;
    if (state == State::Unknown && matters)
        return std::nullopt;
    switch (kind) {
    case Dependency::Kind::Ok:
        return state == State::Succeeded;
    case Dependency::Kind::Failed:
        return state == State::Failed;
    case Dependency::Kind::Begun:
    case Dependency::Kind::Any:
        break;
    }
    return true;
}

QString whyNever(const Dependency &dependency, State state)
{
    const QString wanted = dependency.kind == Dependency::Kind::Ok ? QStringLiteral("succeed") : QStringLiteral("fail");
    const QString found = state == State::Succeeded ? QStringLiteral("succeeded")
        : state == State::Failed                    ? QStringLiteral("failed")
                                                    : QStringLiteral("is no longer known");
    return QStringLiteral("it was to wait for %1 to %2, which %3").arg(dependency.on.toString(), wanted, found);
}

bool leadsTo(const jobs::JobId &from, const jobs::JobId &to,
             const std::function<std::vector<jobs::JobId>(const jobs::JobId &)> &next)
{
    std::set<jobs::JobId> visited{from};
    std::vector<jobs::JobId> open{from};
    while (!open.empty() && !visited.contains(to)) {
        const jobs::JobId job = open.back();
        open.pop_back();
        for (const jobs::JobId &other : next(job)) {
            if (visited.insert(other).second)
                open.push_back(other);
        }
    }
    return visited.contains(to);
}

} // namespace drover::workers
