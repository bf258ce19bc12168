#pragma once

#include "async/event.h"
#include "async/task.h"

#include <QHash>
#include <QJsonObject>
#include <QProcess>

#include <stdexcept>

namespace drover::test {

// A peer has answered with an error or has ended; says which, and after what.
class PeerFailure : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// A process that holds real clients of another library, Curator or kazoo, and obeys the commands on its standard
// input (README.md). Each of its clients is a session of its own, made when it is first named, and carries out its
// commands one after the other; different clients work side by side.
//
//     peer.tell("a", "lock acquire /locks/x");
//     ...
//     const QJsonObject grant = await(peer.answer("a"));
//
// Ended by the destructor, which closes its input and kills it if that is not enough. Belongs to one thread.
class ForeignPeer
{
public:
    // `name` is "curator" or "kazoo"; its program lies in DROVER_BIN_DIR, or bin/ beside tests/. Throws PeerFailure
    // when it does not start. `auth` is what its clients authenticate with, "digest:USER:PASSWORD"; empty: nothing.
    ForeignPeer(QByteArray name, const QString &servers, const QByteArray &auth = {});
    ForeignPeer(const ForeignPeer &) = delete;
    ForeignPeer &operator=(const ForeignPeer &) = delete;
    ~ForeignPeer();

    const QByteArray &name() const { return m_name; }

    void tell(const QByteArray &client, const QByteArray &command);
    bool hasAnswered(const QByteArray &client) const { return !m_answers[client].isEmpty(); }

    // The answer to that client's oldest command which has not been asked for yet. Throws PeerFailure.
    async::Task<QJsonObject> answer(QByteArray client);

    // Both, running the event loop until the answer is there. Throws PeerFailure, TookTooLong.
    QJsonObject ask(const QByteArray &client, const QByteArray &command);

private:
    void read();

    QByteArray m_name;
    QProcess m_process;
    QHash<QByteArray, QList<QByteArray>> m_asked;
    QHash<QByteArray, QList<QJsonObject>> m_answers;
    async::Event m_arrived;
};

} // namespace drover::test
