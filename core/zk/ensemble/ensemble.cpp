#include "zk/ensemble/ensemble.h"

#include <algorithm>

namespace drover::zk {

using Role = ServerReport::Role;

namespace {

constexpr qsizetype MostMembers = 100; // of a hostile answer

const ServerReport *leaderOf(const std::vector<ServerReport> &reports)
{
    const auto leader =
        std::find_if(reports.begin(), reports.end(), [](const auto &report) { return report.role == Role::Leader; });
    return leader == reports.end() ? nullptr : &*leader;
}

} // namespace

std::optional<Membership> Membership::in(const QByteArray &text)
{
    Membership membership;
    for (const QByteArray &each : text.split('\n')) {
        const QByteArray line = each.trimmed();
        if (!line.startsWith("server.") || membership.lines.size() == MostMembers)
            continue;
        membership.lines.append(line);
        membership.voters += line.split(';').first().endsWith(":observer") ? 0 : 1;
    }
    std::sort(membership.lines.begin(), membership.lines.end());
    return membership.voters > 0 ? std::optional(membership) : std::nullopt;
}

std::optional<Membership> membershipOf(const std::vector<ServerReport> &reports, const QByteArray &config)
{
    for (const ServerReport &report : reports) {
        const auto conf = report.answers.find("conf");
        const std::optional<Membership> said =
            conf == report.answers.end() || !report.serves() ? std::nullopt : Membership::in(conf->second);
        if (said)
            return said;
    }
    return Membership::in(config);
}

Majority majorityOf(const std::vector<ServerReport> &reports, const std::optional<Membership> &membership)
{
    const auto count = [&](Role role) {
        return static_cast<int>(
            std::count_if(reports.begin(), reports.end(), [role](const auto &report) { return report.role == role; }));
    };
    const int named = static_cast<int>(reports.size()) - count(Role::Observer);
    const int seen = count(Role::Leader) + count(Role::Follower) + count(Role::Standalone);
    Majority majority;
    majority.voters = membership ? membership->voters : named;
    const int others = std::max(0, majority.voters - named);
    const ServerReport *const leader = leaderOf(reports);
    const qint64 synced = leader ? leader->number("mntr", "zk_synced_followers").value_or(0) : 0;
    const int led = static_cast<int>(std::clamp<qint64>(synced, 0, MostMembers)) + 1;
    majority.serving = std::min(majority.voters, seen + std::clamp(led - seen, 0, others));
    const int atMost = majority.serving + (leader ? 0 : others);
    majority.isServed = seen > 0 && (atMost >= majority.needed() || count(Role::Standalone) > 0);
    return majority;
}

} // namespace drover::zk
