#pragma once

#include "app/jobs/filter_options.h"
#include "history/query.h"
#include "jobs/client/list_unfinished.h"
#include "jobs/model/final_record.h"

namespace drover::app {

// The jobs that a command's arguments choose: by ids (default-42, default-42.7), by ranges (default-3..17,
// default-42.1..100) and by filters. A job must match all filters.
class JobSelection
{
public:
    // The jobs that the id of an array chooses.
    enum class Arrays {
        AsOne, // the array alone
        WithTasks, // the array and its unfinished tasks
        TasksAlone,
    };
    struct Chosen {
        jobs::JobId id;
        bool named = true; // by its id: then an unsuitable state is an error
    };

    static QList<QCommandLineOption> options();

    // `ids` are the arguments that name jobs. Throws UsageError, also if the arguments choose no job.
    JobSelection(const Arguments &arguments, const QStringList &ids);
    explicit JobSelection(std::vector<jobs::JobRange> ranges) : m_ranges(std::move(ranges)) { }
    explicit JobSelection(jobs::JobFilter filter) : m_filter(std::move(filter)) { }

    static bool isRange(const QString &argument) { return argument.contains(QStringLiteral("..")); }
    static jobs::JobRange parseRange(const QString &argument); // throws UsageError

    // Whether filters may leave out some of the named jobs.
    bool narrowsNamed() const { return filters() && !(m_ids.empty() && m_ranges.empty()); }

    // The chosen jobs: the named ones in their order, then by queue and number the unfinished ones of ranges and
    // filters. Throws SessionLost and ConnectionLoss.
    async::Task<std::vector<Chosen>> find(jobs::Cluster cluster, Arrays arrays) const;

    // Whether ranges or filters choose this ended job. They choose as in find(), with two exceptions: --state applies
    // to unfinished jobs only, and --queue alone would choose all jobs that ever ended. An array stands for its tasks.
    bool meansEnded(const jobs::FinalRecord &record) const;
    bool mayMeanEnded(const jobs::JobId &id) const; // before the record is read

    // The tasks that ids or ranges name. find() does not find tasks that their arrays have not created yet. Empty if
    // there are filters, because a task without a node matches no filter.
    std::vector<jobs::JobRange> namedTasks() const;

    // Queries that find all ended jobs of this selection in a history, and perhaps others.
    std::vector<history::Query> historyQueries() const;

private:
    using Range = jobs::JobRange;
    using Listed = jobs::ListedJob;

    async::Task<std::vector<Range>> addNamed(jobs::Cluster cluster, Arrays arrays, std::vector<Chosen> &chosen) const;
    async::Task<void> lookAtArrays(jobs::Cluster cluster, std::vector<Listed> &listed) const;
    async::Task<void> addMatching(jobs::Cluster cluster, std::vector<Listed> listed, std::vector<Chosen> &chosen) const;
    bool matches(const Listed &job, const QByteArray &stored) const;
    bool looksAtEnded() const { return !m_filter.state && (m_filter.describes() || !m_ranges.empty()); }
    bool filters() const { return !m_filter.isEmpty(); }

    std::vector<jobs::JobId> m_ids; // empty if there are filters
    std::vector<Range> m_ranges; // with filters also the ids, which must match them
    jobs::JobFilter m_filter;
};

} // namespace drover::app
