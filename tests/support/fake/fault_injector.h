#pragma once

#include "async/boot_clock.h"
#include "support/seeded_random.h"
#include "zk/request.h"

#include <QStringList>

#include <array>
#include <map>
#include <vector>

namespace drover::test {

// What can befall one request on its way.
enum class Fault {
    None,
    LoseRequest, // the connection breaks before the server has the request: not carried out
    LoseReply, // the connection breaks after the server has carried it out
    Delay, // the request, or its reply, is late; what follows it on the connection too
    Disconnect, // the connection breaks before the request leaves, for long: the session may expire meanwhile
    Expire, // the server ends the session instead of carrying the request out
    Pause, // the process stands still right after sending; its session may expire meanwhile
    Lag, // the server falls behind the leader before it answers
    LateCommit, // as LoseReply, but the write is carried out only after a while, or at the next write or sync of anyone
    FailSend, // the send meets a broken connection: the request is lost, those called after it wait for the next one
    Isolate, // the server is cut from its leader: see FakeZooKeeper::isolate(); the session may end meanwhile
    Throttle, // an overloaded server says that it has not carried the request out; what was sent behind it is
};
inline constexpr int FaultKinds = 12;
const char *name(Fault fault);

// What an injector will do: each operation meets at most one fault, drawn by these probabilities, or the one that
// `scripted` names for it (operations count from 1).
struct FaultPlan {
    quint64 seed = 1;
    double loseRequest = 0;
    double loseReply = 0;
    double delay = 0;
    double disconnect = 0;
    double expire = 0;
    double pause = 0;
    double lag = 0;
    double lateCommit = 0;
    double failSend = 0;
    double isolate = 0;
    double throttle = 0;
    // Of the servers that a session comes to after a break.
    double behind = 0; // has carried out no more than the session has seen
    double tooOld = 0; // has carried out less, and refuses it
    std::map<quint64, Fault> scripted;

    // The longest of each; drawn evenly from zero.
    async::Duration longestDelay = std::chrono::milliseconds(200);
    async::Duration longestBreak = std::chrono::seconds(1); // after a lost request or reply
    async::Duration longestOutage = std::chrono::seconds(10); // after Disconnect
    async::Duration longestPause = std::chrono::seconds(10);
    async::Duration longestLag = std::chrono::milliseconds(500); // of a server, and of a late commit

    // Every kind, so that in total `probability` of the operations meet one; expiry and pauses are rarer.
    static FaultPlan everything(quint64 seed, double probability);
};

// How often each fault came, and how often it changed what a client saw: a run whose faults did not bite proves
// nothing. A lost reply bites when it was of a write, a delay when another write came first, a pause when the session
// is given up after it, a lag when a read is answered otherwise than the leader would have, or an event comes later.
struct FaultLog {
    quint64 operations = 0;
    std::array<quint64, FaultKinds> counts{};
    std::array<quint64, FaultKinds> bites{};

    quint64 count(Fault fault) const { return counts[static_cast<std::size_t>(fault)]; }
    quint64 bitten(Fault fault) const { return bites[static_cast<std::size_t>(fault)]; }
    QStringList toothless() const; // the kinds that never bit
    quint64 total() const { return operations - count(Fault::None); }
    FaultLog &operator+=(const FaultLog &other);
    QString toString() const; // "200 operations, 3 lost requests (2 bit), ..."
};

// Decides the fate of each request of the sessions that are given it (FakeSessionOptions). A plan and a sequence of
// requests always give the same faults. Outlives its sessions.
class FaultInjector
{
public:
    struct Decision {
        Fault fault = Fault::None;
        async::Duration duration{0}; // of the delay, break or pause
        bool ofReply = false; // which way the delay is
        FaultLog *log = nullptr; // of the injector

        void bite() const
        {
            if (log)
                ++log->bites[static_cast<std::size_t>(fault)];
        }
    };

    // The server that a session comes to after a break.
    struct Server {
        bool tooOld = false;
        async::Duration lag{0};
    };

    explicit FaultInjector(FaultPlan plan) : m_plan(std::move(plan)), m_random(m_plan.seed) { }

    Decision next();
    Server nextServer();

    // What befalls the next operations, one after the other.
    void script(const std::vector<Fault> &fates);

    // Ends the faults, for "after the faults stop" checks.
    void heal() { m_healed = true; }

    const FaultLog &log() const { return m_log; }

private:
    Fault draw();
    async::Duration longest(Fault fault) const;

    FaultPlan m_plan;
    SeededRandom m_random;
    FaultLog m_log;
    bool m_healed = false;
};

} // namespace drover::test
