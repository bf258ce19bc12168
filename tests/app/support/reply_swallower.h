#pragma once

#include "posix/file_descriptor.h"

#include <QByteArray>

#include <atomic>
#include <thread>

namespace drover::test {

// A relay to a ZooKeeper server on this machine that loses the reply to a write: the server carries the write out, and
// its client never hears of it. What the client sends is passed on all the time; from the reply to that write on
// nothing comes back, until cut() breaks the connection. Works in a thread of its own, for one client at a time.
class ReplySwallower
{
public:
    // `spared`: so many writes are answered before.
    explicit ReplySwallower(quint16 server, int spared = 0);
    ReplySwallower(const ReplySwallower &) = delete;
    ReplySwallower &operator=(const ReplySwallower &) = delete;
    ~ReplySwallower();

    QString connectString() const;
    // Whether the server has answered the write whose reply is lost.
    bool hasSwallowed() const { return m_swallowed; }
    // Breaks the connection, and refuses others until resume(); those get all replies.
    void cut() { m_cut = true; }
    void resume() { m_resumed = true; }

private:
    void run();
    void accept();
    bool passRequests();
    bool passReplies();
    void noteRequest(const QByteArray &frame);

    const quint16 m_server;
    int m_spared;
    quint16 m_port = 0;
    posix::FileDescriptor m_listener;
    posix::FileDescriptor m_client;
    posix::FileDescriptor m_upstream;
    QByteArray m_requests; // not yet a whole frame
    QByteArray m_replies;
    bool m_greeted = false; // the first frame of a connection is no request
    qint32 m_write = 0; // the request whose reply is swallowed; 0: none yet
    std::atomic<bool> m_swallowed{false};
    std::atomic<bool> m_cut{false};
    std::atomic<bool> m_resumed{false};
    std::atomic<bool> m_stop{false};
    std::thread m_thread;
};

} // namespace drover::test
