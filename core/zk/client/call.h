#pragma once

#include "async/boot_clock.h"
#include "zk/request.h"
#include "zk/watch.h"

#include <memory>

namespace drover::zk {

class ClientCalls;

// One request and the promise of its answer: the context that the C client carries along. The Session's queues own it
// before and after, the ClientCalls while the C client has it.
struct Call {
    Request request;
    std::shared_ptr<WatchCell> watch; // null: arm no watch
    async::Promise<Response> promise;
    Response response;

    ClientCalls *owner = nullptr;
    quint64 number = 0; // in the order of sending
    bool keepsAlive = false; // sent by the session itself
    std::shared_ptr<void> results; // a transaction's results, written by the C client
};

} // namespace drover::zk
