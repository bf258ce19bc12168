#pragma once

#include "async/boot_clock.h"
#include "zk/request.h"
#include "zk/watch.h"

#include <memory>

namespace drover::zk {

class ClientHandle;

// One request and where its answer goes: the context that the C client carries along. Owned by the Session's queues
// before and after, by the ClientHandle while the C client knows it.
struct Call {
    Request request;
    std::shared_ptr<WatchCell> watch; // null: none is to be armed
    async::Promise<Response> promise;
    Response response;

    ClientHandle *owner = nullptr;
    quint64 number = 0; // in the order of sending
    bool keepsAlive = false; // sent by the session itself
    std::shared_ptr<void> results; // of a transaction: what the C client writes to until the call has ended
};

} // namespace drover::zk
