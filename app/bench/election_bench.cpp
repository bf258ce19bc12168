#include "app/bench/benches.h"
#include "app/bench/figures/distribution.h"
#include "app/bench/setup/participants.h"
#include "recipes/elections/leader_latch.h"

#include <stdexcept>

namespace drover::app {

namespace {

struct TermLog {
    zk::Zxid lastToken = 0;
    async::TimePoint resigned{};
    bool measuring = false;
    Distribution handOvers;

    void begun(zk::Zxid token, async::TimePoint now)
    {
        if (token <= lastToken)
            throw std::logic_error("two leaders overlapped: a later one has a lower fencing token");
        lastToken = token;
        if (measuring)
            handOvers.add(now - resigned);
    }
};

async::Task<void> stand(zk::Client &zk, ElectionBenchOptions options, QByteArray id, TermLog &terms,
                        Participants &participants)
{
    recipes::LeaderLatch latch(zk, options.directory);
    for (bool first = true; !participants.isOver(); first = false) {
        recipes::Leadership leadership = co_await latch.campaign(id);
        terms.begun(leadership.fence().czxid, zk.loop().now());
        co_await async::sleepFor(zk.loop(), options.term);
        if (first)
            participants.noteWarm();
        terms.resigned = zk.loop().now();
        leadership.resign();
    }
}

} // namespace

async::Task<Figures> measureElection(std::vector<zk::Client *> sessions, ElectionBenchOptions options)
{
    co_await sessions.front()->ensurePath(options.directory);
    TermLog terms;
    Participants participants(static_cast<int>(sessions.size()));
    for (int i = 0; i < participants.size(); ++i)
        participants.spawn(stand(*sessions[static_cast<std::size_t>(i)], options,
                                 "candidate-" + QByteArray::number(i + 1), terms, participants));
    co_await participants.warm();
    const std::function<void(bool)> measuring = [&](bool on) { terms.measuring = on; };
    const Participants::Span span = co_await participants.measure(sessions, options.duration, measuring);

    Figures figures("election");
    figures.add("clients", participants.size(), "candidates");
    figures.add("terms", static_cast<qint64>(terms.handOvers.size()),
                QStringLiteral("of %1 ms each").arg(options.term.count()));
    figures.addTimes("", terms.handOvers, "from resignation to the next leader");
    span.addTo(figures, terms.handOvers.size(), "sent for each term", "watch events a resignation");
    co_return figures;
}

} // namespace drover::app
