#include "app/bench/benches.h"
#include "app/bench/figures/distribution.h"
#include "app/bench/setup/participants.h"
#include "recipes/barriers/double_barrier.h"

namespace drover::app {

namespace {

// One of the two sides of a barrier, in one round.
struct Side {
    async::TimePoint asked{}; // by the last
    int passed = 0;
};

struct Meeting {
    struct Round {
        Side enter;
        Side leave;
    };
    std::vector<Round> rounds; // rounds with at least one participant
    Distribution enters;
    Distribution leaves;
    bool measuring = false;

    void pass(Side &side, Distribution &times, int members, async::TimePoint now)
    {
        if (++side.passed == members && measuring)
            times.add(now - side.asked);
    }
};

async::Task<void> meet(zk::Client &zk, zk::Path directory, QByteArray who, Meeting &meeting, Participants &participants)
{
    async::Loop &loop = zk.loop();
    for (std::size_t round = 0;; ++round) {
        if (round == meeting.rounds.size()) {
            if (participants.isOver())
                co_return; // what one has begun all end
            meeting.rounds.emplace_back();
        }
        recipes::DoubleBarrier barrier(zk, directory / ("round-" + QByteArray::number(static_cast<qint64>(round + 1))),
                                       participants.size());
        meeting.rounds[round].enter.asked = loop.now();
        recipes::BarrierEntry entry = co_await barrier.enter(who);
        meeting.pass(meeting.rounds[round].enter, meeting.enters, participants.size(), loop.now());
        meeting.rounds[round].leave.asked = loop.now();
        co_await entry.leave();
        meeting.pass(meeting.rounds[round].leave, meeting.leaves, participants.size(), loop.now());
        if (round == 0)
            participants.noteWarm();
    }
}

} // namespace

async::Task<Figures> measureBarrier(std::vector<zk::Client *> sessions, BarrierBenchOptions options)
{
    co_await sessions.front()->ensurePath(options.directory);
    Meeting meeting;
    Participants participants(static_cast<int>(sessions.size()));
    for (int i = 0; i < participants.size(); ++i)
        participants.spawn(meet(*sessions[static_cast<std::size_t>(i)], options.directory,
                                "member-" + QByteArray::number(i + 1), meeting, participants));
    co_await participants.warm();
    const std::function<void(bool)> measuring = [&](bool on) { meeting.measuring = on; };
    const Participants::Span span = co_await participants.measure(sessions, options.duration, measuring);

    Figures figures("barrier");
    figures.add("clients", participants.size(), "members");
    figures.add("rounds", static_cast<qint64>(meeting.leaves.size()), "entered and left by all");
    figures.addTimes("", meeting.enters, "from the last one's coming to all in");
    figures.addMilliseconds("leave_median_ms", meeting.leaves.median(), "from the last one's leaving to all out");
    span.addTo(figures, meeting.leaves.size() * sessions.size(), "sent by each in a round",
               "watch events for each in a round");
    co_return figures;
}

} // namespace drover::app
