#pragma once

#include <QByteArray>
#include <QByteArrayList>
#include <QList>
#include <QMetaType>
#include <QString>

namespace drover::gui {

// What a lesson shows at one moment, as values that cross the threads. Numbers of participants and groups are places in
// the lesson's lists.

struct LabParticipant {
    enum class Life { Absent, Running, Paused, Ended };
    enum class Phase { Connecting, Asking, Holding, Leaving, Idle, Lost };

    QString name;
    int group = 0;
    QString role; // what is special about it; may be empty
    Life life = Life::Absent;
    Phase phase = Phase::Connecting;
    bool isConnected = false;
    bool isCut = false; // its relay refuses connections
    bool isDeposed = false; // it has no node, another holds the lock, and it has not noticed
    QByteArray session; // as the server writes it, 0x...
    int requests = 0;
    int wakeUps = 0;
    int attempt = 0; // of the queue's item that it has claimed; 0: none
    int line = -1; // of the group's pseudo-code; -1: none
    // The nodes whose children it watches while it asks. Its process says so: the server does not name such watches.
    QByteArrayList listed;

    bool runs() const { return life == Life::Running || life == Life::Paused; }
    friend bool operator==(const LabParticipant &, const LabParticipant &) = default;
};

struct LabNode {
    QByteArray path;
    QString name; // below the group's directory
    int group = 0;
    int owner = -1; // a participant; -1: persistent, or of a session that has ended
    bool isEphemeral = false;

    friend bool operator==(const LabNode &, const LabNode &) = default;
};

struct LabWatch {
    int participant = 0;
    QByteArray path;

    friend bool operator==(const LabWatch &, const LabWatch &) = default;
};

// The records of a file that holders of a lock share.
struct RecordCount {
    int whole = 0;
    int torn = 0; // lines of another record stand among its own
    int cutShort = 0; // lines are missing at its end, and others follow

    friend bool operator==(const RecordCount &, const RecordCount &) = default;
};

struct LabGroup {
    int requests = 0;
    int wakeUps = 0;
    int releases = 0;
    int wokenByLast = 0; // wake-ups since the last release or kill
    int refused = 0; // lines that the file did not take
    RecordCount records;

    friend bool operator==(const LabGroup &, const LabGroup &) = default;
};

struct LabSnapshot {
    enum class Server { Stopped, Starting, Serving };

    int lesson = -1; // -1: none is open
    Server server = Server::Stopped;
    QString trouble; // empty: none
    QList<LabGroup> groups;
    QList<LabParticipant> participants;
    QList<LabNode> nodes; // in the order of their creation
    QList<LabWatch> watches;

    friend bool operator==(const LabSnapshot &, const LabSnapshot &) = default;
};

} // namespace drover::gui

Q_DECLARE_METATYPE(drover::gui::LabSnapshot)
