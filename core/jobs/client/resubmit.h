#pragma once

#include "jobs/client/job_lookup.h"

#include <map>
#include <optional>
#include <vector>

namespace drover::jobs {

// Another submit of a job that has ended, or of some tasks of one array.
struct Resubmission {
    JobId id; // the job, or the array of the tasks
    std::optional<ArrayIndices> tasks{};
    std::optional<JobState> was{}; // not set: unknown, or different among the tasks

    // default-42, default-42.3..7, default-42.10-90:10,95; for many scattered tasks only the array.
    QString toString() const;
};

// Gathers the jobs and tasks to submit again, each once. Tasks are left out if their whole array is gathered as well.
class ResubmitSelection
{
public:
    void add(const JobId &id, std::optional<JobState> state = {});
    std::vector<Resubmission> all() const; // in the order in which the jobs were added

private:
    using Tasks = std::map<qint32, std::optional<JobState>>;
    struct Chosen {
        std::optional<Resubmission> whole;
        Tasks tasks;
    };

    static Resubmission tasksAlone(const JobId &array, const Tasks &tasks);

    std::vector<JobId> m_order;
    std::map<JobId, Chosen> m_chosen;
};

// The job to submit again, from a view of the job or of the array of a task. Nothing if the job could not be read, or
// if its record does not hold all of it. Throws Malformed.
std::optional<JobSpec> jobToResubmit(const JobView &view);

// The job to submit for `resubmission`. Tasks become an array of their own: with the old limit of tasks at once, and
// with the old DROVER_ARRAY_COUNT. Throws WrongState if there is nothing to submit, or not in this way.
JobSpec jobToResubmit(const JobView &view, const Resubmission &resubmission);

} // namespace drover::jobs
