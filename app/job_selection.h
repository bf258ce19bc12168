#pragma once

#include "app/description_filter.h"

namespace drover::app {

// The jobs that a command is to act on, out of its arguments: ids (default-42, default-42.7), ranges of them
// (default-3..17, default-42.1..100) and filters, which all have to fit.
class JobSelection
{
public:
    // What the id of an array stands for.
    enum class Arrays {
        AsOne, // itself
        WithTasks, // itself and its unfinished tasks
        TasksAlone,
    };
    struct Chosen {
        jobs::JobId id;
        bool named = true; // by its id: then a state that does not fit is an error
    };

    static QList<QCommandLineOption> options();

    // `ids` are the arguments that name jobs. Throws UsageError, also when nothing is chosen at all.
    JobSelection(const Arguments &arguments, const QStringList &ids);
    explicit JobSelection(std::vector<jobs::JobRange> ranges) : m_ranges(std::move(ranges)) { }

    static bool isRange(const QString &argument);
    static jobs::JobRange parseRange(const QString &argument); // throws UsageError

    // Whether filters leave out some of the jobs that are named.
    bool narrowsNamed() const { return filters() && !(m_ids.empty() && m_ranges.empty()); }

    // In the order of the ids named, then by queue and number. Of ranges and filters those that have not ended. Throws
    // SessionLost, ConnectionLoss.
    async::Task<std::vector<Chosen>> find(zk::Coordinator &zk, jobs::Layout layout, Arrays arrays) const;

    // Whether ranges or filters mean a job that has ended: the same as find() but for --state, which is of those that
    // have not, and --queue alone, which would mean all that there ever were. An array stands for its tasks.
    bool meansEnded(const jobs::FinalRecord &record) const;
    bool mayMeanEnded(const jobs::JobId &id) const; // before its record is read

    // The tasks that are named, by their ids or by ranges. Arrays may still be to make some of them: those find() does
    // not find. None where there are filters, which nothing fits that is not there.
    std::vector<jobs::JobRange> namedTasks() const;

    // What finds all of these in a history, and perhaps others.
    std::vector<history::Query> historyQueries() const;

private:
    using Range = jobs::JobRange;
    struct Listed {
        jobs::JobId id;
        jobs::QueueEntry entry;
        jobs::JobState state{}; // what waits at its worker counts as running until somebody asks
    };

    async::Task<std::vector<Range>> addNamed(zk::Coordinator &zk, jobs::Layout layout, Arrays arrays,
                                             std::vector<Chosen> &chosen) const;
    async::Task<std::vector<Listed>> list(zk::Coordinator &zk, jobs::Layout layout, QByteArray queue) const;
    async::Task<void> lookWhichWait(zk::Coordinator &zk, jobs::Layout layout, std::vector<Listed> &listed) const;
    async::Task<void> lookAtArrays(zk::Coordinator &zk, jobs::Layout layout, std::vector<Listed> &listed) const;
    async::Task<void> addMatching(zk::Coordinator &zk, jobs::Layout layout, std::vector<Listed> listed,
                                  std::vector<Chosen> &chosen) const;
    bool matches(const Listed &job, const QByteArray &stored) const;
    bool looksAtEnded() const;
    bool filters() const { return !m_queue.isEmpty() || m_state || !m_description.isEmpty(); }

    std::vector<jobs::JobId> m_ids; // none where there are filters
    std::vector<Range> m_ranges; // there the ids as well: who is named has to fit, too
    QByteArray m_queue; // empty: any, as in the others
    std::optional<jobs::JobState> m_state;
    DescriptionFilter m_description;
};

} // namespace drover::app
