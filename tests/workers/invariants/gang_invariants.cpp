#include "workers/invariants/gang_invariants.h"

namespace drover::test {

namespace {

QByteArray variable(const Execution &execution, const QByteArray &name)
{
    for (const QByteArray &setting : execution.environment) {
        if (setting.startsWith(name + '='))
            return setting.mid(name.size() + 1);
    }
    return {};
}

} // namespace

QString GangInvariants::onTaskMade(const jobs::JobId &id, const jobs::JobSpec &spec)
{
    const int round = jobs::GangSize{spec.gang}.roundOf(id.task);
    m_sizes[id.array()] = spec.gang;
    int &latest = m_rounds.try_emplace(id.array(), round).first->second;
    m_again += round > latest;
    if (round < latest || round > latest + 1)
        return QStringLiteral("%1 was made when its gang was in round %2").arg(id.toString()).arg(latest);
    latest = round;
    return {};
}

QString GangInvariants::onStored(const jobs::JobId &id, const QByteArray &data)
{
    const jobs::GangRounds rounds = jobs::GangRounds::of(data);
    constexpr std::chrono::hours LongestPause{2}; // of retries, and after rounds that were withdrawn
    const VirtualLoop &world = m_server.world();
    const auto isWrong = [&](std::chrono::milliseconds time, std::chrono::milliseconds later) {
        m_timesNoted += time.count() > 0;
        return time.count() > 0 && !isSoon(time, later, world);
    };
    const std::chrono::milliseconds none{};
    if (isWrong(rounds.assemblingSince, none) || isWrong(rounds.begunAt, none)
        || (rounds.assemblingSince.count() == 0 && isWrong(rounds.notBefore, LongestPause)))
        return QStringLiteral("a time of gang %1 is not the servers'").arg(id.toString());
    return {};
}

// After the commit.
QString GangInvariants::onReady(const zk::Path &path, const QByteArray &data)
{
    const zk::Path round = path.parent();
    const jobs::GangStart start = jobs::GangStart::decode(data);
    const QByteArrayList name = round.name().split(':');
    const jobs::JobId gang = *jobs::JobId::parse(QString::fromLatin1(name.front()));
    const QString alive = start.places.empty() ? QString() : aliveBefore(gang, name.back().toInt());
    if (!alive.isEmpty())
        return alive;
    bool limited = false;
    for (std::size_t rank = 0; rank < start.places.size(); ++rank) {
        const jobs::GangPlaceName place{static_cast<int>(rank), start.places[rank].claimZxid};
        const FakeTree::Znode *node = m_server.tree().find(round / place.name());
        if (!node || node->stat.ephemeralOwner == 0)
            return QStringLiteral("%1 began without its member %2").arg(round.toString()).arg(rank);
        m_started[round.name()].insert(QByteArray::number(place.claimZxid));
        const qint32 task = jobs::GangSize{m_sizes.at(gang)}.firstOf(name.back().toInt()) + place.rank;
        const jobs::JobId member{gang.queue, gang.number, task};
        limited = limited || m_permits.isLimited(member);
        const QString wrong = m_permits.onBegun(member, node->stat.ephemeralOwner);
        if (!wrong.isEmpty())
            return wrong;
    }
    m_withdrawn += start.places.empty();
    m_limitedRounds += limited;
    return {};
}

QString GangInvariants::aliveBefore(const jobs::JobId &gang, int round) const
{
    const jobs::GangSize size{m_sizes.at(gang)};
    for (qint32 task = 0; task < size.firstOf(round); ++task) {
        const jobs::JobId member{gang.queue, gang.number, task};
        const FakeTree::Znode *claim = m_server.tree().find(m_layout.claim(member));
        const auto started = m_started.find(m_layout.gang(member, size.roundOf(task)).name());
        if (claim && started != m_started.end() && !m_deleted.contains(member)
            && started->second.contains(QByteArray::number(claim->stat.czxid)))
            return QStringLiteral("round %1 of %2 began while %3 ran")
                .arg(round)
                .arg(gang.toString(), member.toString());
    }
    return {};
}

QString GangInvariants::onDone(const jobs::FinalRecord &record)
{
    if (record.state() != jobs::JobState::Succeeded)
        return {};
    ++m_succeeded;
    const jobs::GangSize gang{m_sizes.at(record.id)};
    const int round = m_rounds.at(record.id);
    if (!m_started.contains(m_layout.gang(record.id, round).name()))
        return QStringLiteral("gang %1 succeeded and never began").arg(record.id.toString());
    for (qint32 task = gang.firstOf(round); task < gang.endOf(round); ++task) {
        const auto end = m_ends.find({record.id.queue, record.id.number, task});
        if (end == m_ends.end() || end->second != jobs::JobState::Succeeded)
            return QStringLiteral("gang %1 succeeded without its member %2")
                .arg(record.id.toString())
                .arg(gang.rankOf(task));
    }
    return {};
}

QStringList GangInvariants::checkExecutions(const std::vector<Execution> &witness) const
{
    QStringList violations;
    for (const Execution &one : witness) {
        const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromLatin1(one.job));
        if (!id || !isGang(id->array()))
            continue;
        const jobs::GangSize gang{m_sizes.at(id->array())};
        const auto started = m_started.find(m_layout.gang(*id, gang.roundOf(id->task)).name());
        const QByteArray token = variable(one, "DROVER_FENCE");
        if (started == m_started.end() || !started->second.contains(token)
            || variable(one, "DROVER_GANG_PEERS").count(',') != gang.size - 1)
            violations.append(QStringLiteral("%1 ran alone").arg(id->toString()));
    }
    return violations;
}

} // namespace drover::test
