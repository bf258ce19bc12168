#pragma once

#include "zk/request.h"

namespace drover::zk {

// The znode that a client sees as its root: "/app" of the connect string "zk1:2181/app". The server knows nothing of
// it. So the client puts it in front of each path that it sends, and takes it away from each path that it is sent. The
// C client can do that, too, but crashes on transactions then.
class Chroot
{
public:
    // The longest one. With it a TransactionBatch of the shortest operations still fits into a request.
    static constexpr qsizetype MaxBytes = 48;

    Chroot() = default; // the server's own root
    explicit Chroot(Path top) : m_top(std::move(top)) { }

    const Path &top() const { return m_top; }
    bool contains(const Path &onServer) const;

    // The server's path of a client's, and back. A server's path outside the chroot stays as it is.
    Path onServer(const Path &seen) const;
    Path seen(const Path &onServer) const;

    // Gives the request the server's paths.
    void enter(Request &request) const;
    // Gives the response the client's paths.
    void leave(Response &response) const;

private:
    Path m_top;
};

} // namespace drover::zk
