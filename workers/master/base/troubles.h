#pragma once

#include "async/loop.h"
#include "jobs/model/cluster_stats.h"

#include <map>
#include <set>

namespace drover::workers {

// The parts of the master's work that fail now and are retried, for the master's summary. A trouble is logged when it
// begins and when its error changes.
class Troubles
{
public:
    explicit Troubles(async::Loop &loop) : m_loop(loop) { }

    static constexpr std::size_t MostOfAKind = 5; // in the summary

    // There may be thousands of one kind, such as a job that is set aside. Empty: it is the only one.
    void note(const QString &subject, const QString &error, const QString &kind = {});
    void clear(const QString &subject);
    // At most `count`, in the order of their subjects: of each kind a few, after those of none. The last of a kind
    // stands for all that are left out, and says how many they are.
    std::vector<jobs::ClusterStats::Trouble> first(std::size_t count) const;

private:
    struct Noted {
        jobs::ClusterStats::Trouble trouble;
        QString kind;
    };

    async::Loop &m_loop;
    std::map<QString, Noted> m_troubles; // by subject
};

// The troubles of one duty. What it has not cleared is cleared when it ends.
class DutyTroubles
{
public:
    // `troubles` outlives this object.
    explicit DutyTroubles(Troubles &troubles) : m_troubles(troubles) { }
    ~DutyTroubles()
    {
        for (const QString &subject : m_subjects)
            m_troubles.clear(subject);
    }
    DutyTroubles(const DutyTroubles &) = delete;
    DutyTroubles &operator=(const DutyTroubles &) = delete;

    void note(const QString &subject, const QString &error, const QString &kind = {})
    {
        m_subjects.insert(subject);
        m_troubles.note(subject, error, kind);
    }
    void clear(const QString &subject)
    {
        m_subjects.erase(subject);
        m_troubles.clear(subject);
    }

private:
    Troubles &m_troubles;
    std::set<QString> m_subjects;
};

} // namespace drover::workers
