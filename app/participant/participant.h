#pragma once

#include "app/bench/relay/delay_relay.h"
#include "app/participant/observed_client.h"
#include "async/event.h"
#include "recipes/blocks/own_node.h"
#include "recipes/locks/lock.h"
#include "zk/client/session.h"

#include <QJsonObject>

#include <optional>

namespace drover::app {

struct ParticipantOptions {
    quint16 port = 0; // of the server, on 127.0.0.1
    zk::Path directory; // exists
    QString recipe; // see Participant::knownRecipes()
    QByteArray name; // stored in its znodes
    std::chrono::milliseconds sessionTimeout{4000};
    QString file; // where it writes while it holds the lock; empty: nowhere
    bool isFenced = false; // the file
    qint64 last = 0; // the last number of its log
    int replicas = 3; // of that log
};

// One contender for a lock, an election or the items of a queue, or the producer of these items. It has a session of
// its own through a relay of its own. It joins as soon as it is connected. Each line that it writes is a JSON object:
//
//     {"event": "connection", "state": "connected", "session": "0x1000"}    or connecting, suspended, lost
//     {"event": "phase", "phase": "asking"}                                 or holding, leaving, idle, lost
//     {"event": "phase", "phase": "holding", "attempt": 2}                  of the item that it has claimed
//     {"event": "phase", "phase": "offering"}                               or offered: of a producer
//     {"event": "request", "op": "get", "path": "/lab/a/x-1", "watch": true}
//     {"event": "answer", "op": "get", "path": "/lab/a/x-1", "ok": true}
//     {"event": "wake", "path": "/lab/a/x-1"}
//     {"event": "write", "taken": true}                                     one line of a record
//
// It obeys the lines acquire, release, disconnect and reconnect. A producer offers two items each time. Others hold
// until the line release comes. With a file they write record after record meanwhile, and look at the lock between two
// records only, as careless programs do. The session's end ends a participant.
class Participant
{
public:
    using Say = std::function<void(const QJsonObject &)>;

    static QStringList knownRecipes();

    // Throws std::invalid_argument for another recipe.
    Participant(async::Loop &loop, ParticipantOptions options, Say say);
    ~Participant();

    // Ends when the session has ended.
    async::Task<void> run();
    void obey(const QByteArray &command);

private:
    struct Recipe;

    void sayPhase(const char *phase);
    void sayConnection();
    async::Task<void> hold();
    async::Task<void> passItems();
    async::Task<void> work(qint64 token);
    async::Task<void> writeRecord(qint64 token);

    async::Loop &m_loop;
    const ParticipantOptions m_options;
    const Say m_say;
    DelayRelay m_relay;
    zk::Session m_session;
    ObservedClient m_client;
    std::unique_ptr<Recipe> m_recipe;
    async::Event m_acquire;
    async::Event m_release;
    int m_records = 0;
    int m_attempt = 0; // of the item that it has claimed; 0: none
};

} // namespace drover::app
