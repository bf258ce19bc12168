#pragma once

#include <QStringList>

#include <map>
#include <set>
#include <vector>

namespace drover::test {

struct Counter;

// A kind of trouble or load that a schedule has or has not. To add one, define it below with its counters and do what
// it says where SimCluster asks for it: it is drawn, counted, reported and required to have an effect by itself.
struct Variation {
    Variation(const char *itsName, double itsChance) : name(itsName), chance(itsChance) { all().push_back(this); }
    Variation(const Variation &) = delete;
    Variation &operator=(const Variation &) = delete;

    // In the order of their definitions.
    static std::vector<const Variation *> &all();

    const char *const name;
    const double chance; // that a schedule has it
    mutable std::vector<const Counter *> counters;
};

// How often a variation had an effect. Many schedules together have each effect at least once.
struct Counter {
    Counter(const Variation &variation, const char *itsName) : name(itsName) { variation.counters.push_back(this); }
    Counter(const Counter &) = delete;
    Counter &operator=(const Counter &) = delete;

    const char *const name;
};

class Counts
{
public:
    qint64 &operator[](const Counter &counter) { return m_counts[&counter]; }
    qint64 operator[](const Counter &counter) const;
    Counts &operator+=(const Counts &other);

    QStringList report() const; // a line for each variation with counters
    QStringList missing() const; // the counters that are 0

private:
    std::map<const Counter *, qint64> m_counts;
};

namespace variations {

// A seed draws them in this order.
inline const Variation Stops{"workers get orders to stop, some to abandon their jobs, and come back", 0.3};
inline const Counter StoppedWorkers{Stops, "stops"};

inline const Variation RunnerDeaths{"runners die", 0.3};
inline const Counter DeadRunners{RunnerDeaths, "deaths of runners with jobs"};

inline const Variation SecondQueue{"there are two queues", 0.3};

inline const Variation FewAttempts{"jobs are given up when they have lost two workers", 0.3};
inline const Counter GaveUp{FewAttempts, "jobs given up"};

inline const Variation Rush{"many jobs of low priority at once, then some of the highest", 0.3};

inline const Variation Waiting{"jobs wait for times and for one another, fail, and are retried", 0.4};
inline const Counter Waited{Waiting, "claims of jobs that had waited"};
inline const Counter Singletons{Waiting, "claims of singletons"};

inline const Variation Needs{"jobs need several slots, a label that one worker has, locks, permits", 0.4};
inline const Counter LockWaits{Needs, "waits of jobs for locks"};
inline const Counter Permits{Needs, "starts with permits of limits"};

inline const Variation Orders{"queues are paused and limited, workers cordoned, and all of that is taken back", 0.3};
inline const Counter Pauses{Orders, "pauses of queues with jobs"};
inline const Counter Cordons{Orders, "cordons"};

inline const Variation Control{"an operator holds, releases, requeues, moves, cancels jobs and deposes masters", 0.3};
inline const Counter JobChanges{Control, "changes of jobs"};
inline const Counter TaskChanges{Control, "changes of tasks and members"};
inline const Counter Cancels{Control, "cancels"};
inline const Counter Stepdowns{Control, "deposed masters"};

inline const Variation Deletions{"claims, jobs, places and tickets are deleted by hand", 0.15};
inline const Counter DeletedByHand[] = { // as ManualDeleter::Kind
    {Deletions, "claims"},
    {Deletions, "jobs"},
    {Deletions, "places of idle workers"},
    {Deletions, "nodes of gang members"},
    {Deletions, "rounds of gangs"},
    {Deletions, "tickets"},
    {Deletions, "permits"},
    {Deletions, "notes to the master"},
    {Deletions, "nodes left in a queue"}};

inline const Variation Arrays{"some jobs are arrays", 0.3};
inline const Counter ArraysDone{Arrays, "arrays ended, not cancelled"};
inline const Counter ArraysCancelled{Arrays, "arrays cancelled after some tasks"};
inline const Counter ArraysSkipped{Arrays, "arrays with tasks cancelled before their turn"};

inline const Variation Gangs{"some jobs are gangs", 0.3};
inline const Counter GangRounds{Gangs, "rounds begun"};
inline const Counter GangsAgain{Gangs, "rounds after a gang's first"};
inline const Counter GangRoundsWithdrawn{Gangs, "rounds withdrawn"};
inline const Counter GangRoundsLimited{Gangs, "rounds begun under a limit"};
inline const Counter GangsSucceeded{Gangs, "gangs succeeded"};

inline const Variation ShortJobs{"many jobs at once that end within milliseconds: they wait in the runner", 0.3};
inline const Counter QueuedRuns{ShortJobs, "runs that waited in the runner for the one before"};
inline const Counter PrefetchesStarted{ShortJobs, "prefetched jobs reported to run"};

inline const Variation Sick{"runners cannot be started, and cannot start jobs", 0.3};
inline const Counter RefusedStarts{Sick, "starts refused"};

inline const Variation Dedupe{"some jobs are submitted twice under one key", 0.3};
inline const Counter Deduped{Dedupe, "submits that found an earlier job"};

inline const Variation LongJobs{"some jobs outlive the sessions of their workers", 0.3};

inline const Variation Outages{"ZooKeeper is away for longer and for shorter than a session", 0.3};
inline const Counter OutagesBegun{Outages, "outages"};
inline const Counter HandedOn{Outages, "give-backs left to the next life of a worker"};

inline const Variation WrongClocks{"the clocks of workers are wrong, some by a minute, some by days, and are set", 0.3};
inline const Counter TimesByWrongClocks{WrongClocks, "times of retries and rounds noted then"};

inline const Variation Appends{"some jobs append to a file whose storage is away or hangs at times", 0.3};
inline const Counter AppendedRecords{Appends, "records in the file"};
inline const Counter RefusedAppends{Appends, "jobs whose output was not appended"};

inline const Variation Moves{"most jobs are singletons of one name, and are moved between two queues", 0.1};
inline const Counter MovedSingletons{Moves, "singletons moved"};

inline const Variation Closings{"jobs, queues, claims and final records are closed to all clients for a while", 0.1};
inline const Counter RefusedReads{Closings, "reads refused"};
inline const Counter RefusedChanges{Closings, "changes refused"};

inline const Variation BusyServers{"servers have a line at times, or take small requests only", 0.1};
inline const Counter TooLarge{BusyServers, "requests too large"};
inline const Counter Waits{BusyServers, "requests that waited in the line"};

inline const Variation Kills{"one worker is killed", 1};
inline const Counter RejectedReports{Kills, "reports of zombies refused"};
inline const Counter KeptReported{Kills, "ends reported by a later life"};
inline const Counter RefusedWrites{Kills, "writes of zombies refused"};

inline const Variation Expanding{"tasks by the dozen end at once, and many replies are lost", 0};

} // namespace variations

// The variations of one schedule.
class VariationSet
{
public:
    VariationSet(std::initializer_list<const Variation *> members) : m_members(members) { }

    bool has(const Variation &variation) const { return m_members.contains(&variation); }
    VariationSet &add(const Variation &variation);
    VariationSet &remove(const Variation &variation);

private:
    std::set<const Variation *> m_members;
};

} // namespace drover::test
