#include "support/strip_fences.h"
#include "workers/master/arrays/array_mutant.h"
#include "workers/master/arrays/gang_mutant.h"
#include "workers/sim/sim_cluster.h"

namespace drover::test {

using namespace std::chrono_literals;

SimCluster::Options SimCluster::Options::ofSeed(quint64 seed)
{
    SeededRandom lot(~seed);
    Options options;
    options.seed = seed;
    options.faults = lot.chance(0.3) ? 0.08 : 0.03;
    VariationSet &drawn = options.variations;
    for (const Variation *variation : Variation::all()) {
        const bool certain = variation->chance == 0 || variation->chance == 1;
        if (!certain && lot.chance(variation->chance))
            drawn.add(*variation);
    }
    if (drawn.has(variations::Moves))
        drawn.add(variations::SecondQueue).add(variations::Waiting).add(variations::Control);
    if (drawn.has(variations::ShortJobs))
        options.jobs *= 3;
    // Administrators and the manual deleter have all rights.
    if (drawn.has(variations::Closings))
        drawn.remove(variations::Orders).remove(variations::Deletions);
    const bool waitLong = drawn.has(variations::Gangs) && drawn.has(variations::Needs);
    // The sessions of the administrators and of the manual deleter know no faults.
    if (drawn.has(variations::Orders) || drawn.has(variations::Deletions) || waitLong)
        drawn.remove(variations::Outages);
    // The time that a gang has doubles from a minute to an hour, and it may be needed as often as others come between
    // its members in the line for a lock: they wait for those that have it, which wait for those behind.
    if (waitLong)
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

// Right, wrong by less than what is tolerated, or quite wrong.
void SimCluster::setClockOf(ProcessLoop &worker)
{
    if (!has(variations::WrongClocks))
        return;
    const async::Duration most = m_random.chance(0.3) ? 48h : m_random.chance(0.7) ? 50s : 0s;
    worker.setClockAhead(std::chrono::duration_cast<std::chrono::milliseconds>(some(2 * most) - most));
}

void SimCluster::Options::expand()
{
    variations.add(variations::Expanding).add(variations::Arrays).add(variations::ShortJobs);
    jobs = 10;
}

} // namespace drover::test
