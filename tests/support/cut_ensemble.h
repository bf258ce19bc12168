#pragma once

#include "app/bench/relay/delay_relay.h"
#include "support/election_dial.h"
#include "support/zk_server.h"

#include <map>
#include <tuple>

namespace drover::test {

// Three real servers that are cut from each other, one way or both, or get slow links: a learner reaches its leader
// through a relay. Clients reach every server, so a follower that is cut from its leader goes on answering reads until
// `patience` has passed. A read that follows an unanswered write or sync of the same session waits for it.
//
// Unless Cuts::Everything is given, only replication is cut, and the servers still reach each other's election ports.
// With it the election goes through relays, too: a leader that is cut learns nothing of its successor's election.
//
//     CutEnsemble servers;
//     servers.start();
//     const int follower = servers.follower();
//     servers.cut(follower, CutEnsemble::Way::Both);
class CutEnsemble
{
public:
    // As seen from the server that is cut.
    enum class Way { Out, In, Both };
    enum class Cuts { Replication, Everything };

    // Half-second ticks: sessions of one second are possible. `patience` is how long a server waits for a silent leader
    // or follower, ZooKeeper's syncLimit. No session has a longer time-out than `longestSession` (0: ten seconds).
    explicit CutEnsemble(std::chrono::milliseconds patience = std::chrono::seconds(10),
                         std::chrono::milliseconds longestSession = std::chrono::milliseconds(0),
                         Cuts cuts = Cuts::Replication);

    // Waits until all three serve. Throws what LocalEnsemble::start() throws.
    void start();
    void stop();

    // Waits until all three serve, and names the leader.
    int leader();
    // One that follows.
    int follower() { return (leader() + 1) % Size; }

    // Keeps the links of `server` with both others, but passes nothing that way: bytes wait. Adds to earlier cuts.
    void cut(int server, Way way);
    // Delays what `server` and both others send each other by half of this each way.
    void setRoundTrip(int server, std::chrono::nanoseconds roundTrip);
    // Ends all cuts and delays. What waited is passed on, as TCP would send it again.
    void heal();

    QString connectString() const { return m_ensemble.connectString(); }
    QString connectString(int server) { return m_ensemble.server(server).connectString(); }
    zk::LocalEnsemble &ensemble() { return m_ensemble; }

private:
    static constexpr int Size = 3;

    zk::LocalServerOptions options(std::chrono::milliseconds patience, std::chrono::milliseconds longestSession) const;
    quint16 route(zk::LocalEnsemble::Link link, int from, int to, quint16 port);

    QTemporaryDir m_directory;
    async::QtLoop m_loop;
    const Cuts m_cuts;
    // By the server that connects and the other one: a learner to its leader, for elections a server to a lower id.
    std::map<std::tuple<zk::LocalEnsemble::Link, int, int>, std::unique_ptr<app::DelayRelay>> m_links;
    std::map<std::pair<int, int>, std::unique_ptr<ElectionDial>> m_dials; // by a server and one with a higher id
    zk::LocalEnsemble m_ensemble;
};

} // namespace drover::test
