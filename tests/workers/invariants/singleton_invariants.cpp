#include "workers/invariants/singleton_invariants.h"

#include <algorithm>

namespace drover::test {

using jobs::JobId;
using jobs::JobSpec;
using jobs::QueueEntry;

std::vector<SingletonInvariants::Stored> SingletonInvariants::jobsOf(const QByteArray &queue) const
{
    std::vector<Stored> all;
    const FakeTree::Znode *node = m_server.tree().find(m_layout.queue(queue));
    if (!node)
        return all;
    for (const QByteArray &name : node->children) {
        const std::optional<QueueEntry> entry = QueueEntry::parse(name);
        if (!entry || entry->task != JobId::NoTask)
            continue;
        const QByteArray &data = m_server.tree().find(m_layout.queue(queue) / name)->data;
        all.push_back({*entry, JobSpec::decode(data, queue, entry->priority)});
    }
    return all;
}

void SingletonInvariants::onMade(const zk::Path &path)
{
    const std::optional<QueueEntry> entry = QueueEntry::parse(path.name());
    const FakeTree::Znode *node = m_server.tree().find(path);
    const bool isReady = entry && entry->task == JobId::NoTask
        && (entry->jobClass == QueueEntry::Class::Ready || entry->jobClass == QueueEntry::Class::Array);
    if (!isReady || !node)
        return;
    const QByteArray queue = path.parent().name();
    const JobId id = entry->idIn(queue);
    for (const Stored &other : jobsOf(queue)) {
        std::set<JobId> seen;
        if (other.entry.number < id.number && leadsTo(other.entry.idIn(queue), id, seen))
            m_passed.emplace(other.entry.idIn(queue), id);
    }
}

QString SingletonInvariants::onClaim(const JobId &id, const QString &title)
{
    ++m_claimed;
    for (const Stored &other : jobsOf(id.queue)) {
        const JobId otherId = other.entry.idIn(id.queue);
        if (otherId == id || other.spec.title() != title)
            continue;
        const bool isSingleton = other.spec.singleton || other.spec.notes.wasSingleton;
        std::set<JobId> seen;
        if (otherId.number > id.number && isSingleton && isClaimed(otherId) && !m_passed.contains({id, otherId}))
            return QStringLiteral("singleton %1 was claimed while %2 was running")
                .arg(id.toString(), otherId.toString());
        if (otherId.number < id.number && !m_passed.contains({otherId, id}) && !leadsTo(otherId, id, seen))
            return QStringLiteral("singleton %1 was claimed before %2 had ended")
                .arg(id.toString(), otherId.toString());
    }
    return {};
}

// The unfinished jobs that hold this one back, for what it names and for its name.
std::vector<JobId> SingletonInvariants::waitsFor(const JobId &id) const
{
    const std::vector<Stored> all = jobsOf(id.queue);
    const auto self =
        std::find_if(all.begin(), all.end(), [&](const Stored &job) { return job.entry.number == id.number; });
    std::vector<JobId> on;
    if (self == all.end())
        return on;
    for (const jobs::Dependency &dependency : self->spec.after) {
        JobId now = dependency.on;
        for (auto moved = m_movedTo.find(now); moved != m_movedTo.end(); moved = m_movedTo.find(now))
            now = moved->second;
        on.push_back(now);
    }
    for (const Stored &other : all) {
        if (self->spec.singleton && other.entry.number < id.number && other.spec.title() == self->spec.title())
            on.push_back(other.entry.idIn(id.queue));
    }
    return on;
}

bool SingletonInvariants::leadsTo(const JobId &id, const JobId &on, std::set<JobId> &seen) const
{
    if (!seen.insert(id).second)
        return false;
    const std::vector<JobId> others = waitsFor(id);
    return std::any_of(others.begin(), others.end(),
                       [&](const JobId &other) { return other == on || leadsTo(other, on, seen); });
}

} // namespace drover::test
