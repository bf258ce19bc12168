#pragma once

#include "jobs/job_lookup.h"

#include <map>
#include <optional>
#include <vector>

namespace drover::jobs {

// Another submit of a job that has ended, or of some tasks of one array.
struct Repeat {
    JobId id; // of tasks, their array
    std::optional<ArrayIndices> tasks{};
    std::optional<JobState> was{}; // unless that is unknown, or tasks ended in different ways

    // default-42, default-42.3..7, default-42.10-90:10,95; of many scattered tasks the array alone.
    QString toString() const;
};

// Gathers jobs and tasks, each once: tasks of an array become a part of it if it is submitted itself.
class RepeatChoice
{
public:
    void add(const JobId &id, std::optional<JobState> state = {});
    std::vector<Repeat> all() const; // in the order in which jobs, or the first of their tasks, were added

private:
    using Tasks = std::map<qint32, std::optional<JobState>>;
    struct Chosen {
        std::optional<Repeat> whole;
        Tasks tasks;
    };

    static Repeat tasksAlone(const JobId &array, const Tasks &tasks);

    std::vector<JobId> m_order;
    std::map<JobId, Chosen> m_chosen;
};

// The job to submit, as `view` of it, or of the array of a task, has it. Nothing if it could not be read, and where the
// record does not hold all of it. Throws Malformed.
std::optional<JobSpec> jobToRepeat(const JobView &view);

// The same of what `repeat` names: tasks become an array of these alone, as many at a time as before, and are told of
// as many as before. Throws WrongState: there is nothing to submit, or not so.
JobSpec jobToRepeat(const JobView &view, const Repeat &repeat);

} // namespace drover::jobs
