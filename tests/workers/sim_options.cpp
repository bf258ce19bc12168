#include "support/strip_fences.h"
#include "workers/array_mutant.h"
#include "workers/gang_mutant.h"
#include "workers/sim_cluster.h"

namespace drover::test {

using namespace std::chrono_literals;

SimCluster::Options SimCluster::Options::ofSeed(quint64 seed)
{
    SeededRandom lot(~seed);
    Options options;
    options.seed = seed;
    options.faults = lot.chance(0.3) ? 0.08 : 0.03;
    options.stops = lot.chance(0.3);
    options.runnerDeaths = lot.chance(0.3);
    options.secondQueue = lot.chance(0.3);
    options.fewAttempts = lot.chance(0.3);
    options.rush = lot.chance(0.3);
    options.waiting = lot.chance(0.4);
    options.needs = lot.chance(0.4);
    options.orders = lot.chance(0.3);
    options.control = lot.chance(0.3);
    options.meddling = lot.chance(0.15);
    options.arrays = lot.chance(0.3);
    options.gangs = lot.chance(0.3);
    options.shortJobs = lot.chance(0.3);
    if (options.shortJobs)
        options.jobs *= 3;
    options.sick = lot.chance(0.3);
    options.dedupe = lot.chance(0.3);
    options.longJobs = lot.chance(0.3);
    // The sessions of those who give orders know no faults.
    options.outages = lot.chance(0.3) && !options.orders && !options.meddling && !(options.needs && options.gangs);
    // The time that a gang has doubles from a minute to an hour, and it may be needed as often as others come between
    // its members in the line for a lock: they wait for those that have it, which wait for those behind.
    if (options.gangs && options.needs)
        options.patience = std::chrono::hours(24);
    return options;
}

FakeSessionOptions SimCluster::sessionOptions()
{
    FakeSessionOptions options;
    options.sessionTimeout = 4s;
    options.latency = 1ms;
    options.faults = &m_faults;
    options.readsProve = m_options.readsProve;
    if (!m_options.fenced)
        options.sabotage = stripFences;
    if (!m_options.arrayVersions)
        options.sabotage = forgetArrayVersions;
    if (!m_options.gangSessions)
        options.sabotage = keepGangPlaces;
    return options;
}

SimCluster::Incidents &SimCluster::Incidents::operator+=(const Incidents &other)
{
    stops += other.stops;
    runnerDeaths += other.runnerDeaths;
    outages += other.outages;
    handedOn += other.handedOn;
    refusals += other.refusals;
    gaveUp += other.gaveUp;
    pauses += other.pauses;
    cordons += other.cordons;
    lockWaits += other.lockWaits;
    permits += other.permits;
    saidToRun += other.saidToRun;
    followers += other.followers;
    waited += other.waited;
    singletons += other.singletons;
    deduped += other.deduped;
    changes += other.changes;
    taskChanges += other.taskChanges;
    cancels += other.cancels;
    stepdowns += other.stepdowns;
    for (std::size_t kind = 0; kind < meddled.size(); ++kind)
        meddled[kind] += other.meddled[kind];
    rejectedReports += other.rejectedReports;
    keptReported += other.keptReported;
    refusedWrites += other.refusedWrites;
    gangRounds += other.gangRounds;
    gangsAgain += other.gangsAgain;
    gangRoundsWithdrawn += other.gangRoundsWithdrawn;
    gangRoundsLimited += other.gangRoundsLimited;
    gangsSucceeded += other.gangsSucceeded;
    arraysDone += other.arraysDone;
    arraysCancelled += other.arraysCancelled;
    arraysSkipped += other.arraysSkipped;
    return *this;
}

void SimCluster::Options::unfold()
{
    unfolding = arrays = shortJobs = true;
    jobs = 10;
}

} // namespace drover::test
