#include "app/participant/observed_client.h"

namespace drover::app {

namespace {

QByteArray nameOf(const zk::Request &request)
{
    return std::holds_alternative<zk::MultiRequest>(request) ? QByteArrayLiteral("multi")
                                                             : QByteArray(zk::operationName(request));
}

} // namespace

ObservedClient::ObservedClient(zk::Client &inner, Observer observer)
    : zk::Client(inner.loop()), m_inner(inner), m_observer(std::move(observer))
{
    setState(inner.state());
    connect(&inner, &zk::Client::stateChanged, this, [this](State state) { setState(state); });
}

async::Future<zk::Response> ObservedClient::submit(zk::Request request, std::shared_ptr<zk::WatchCell> cell)
{
    async::Promise<zk::Response> promise;
    async::Future<zk::Response> future = promise.future();
    m_tasks.spawn(pass(std::move(request), std::move(cell), std::move(promise)));
    return future;
}

async::Task<void> ObservedClient::pass(zk::Request request, std::shared_ptr<zk::WatchCell> cell,
                                       async::Promise<zk::Response> promise)
{
    const Asked asked{nameOf(request), zk::pathOf(request), cell != nullptr};
    const auto watch = std::make_shared<zk::Watch>();
    if (cell)
        cell->abandoned = [watch](zk::WatchCell &) { watch->disarm(); };
    m_observer.sent(asked);
    const async::Future<zk::Response> reply = m_inner.send(std::move(request), cell ? watch.get() : nullptr);
    zk::Response response = co_await reply;
    m_observer.answered(asked, response.code);
    if (cell && cell->abandoned && watch->armed()) {
        cell->armed = true;
        m_tasks.spawn(await(watch, cell));
    } else if (cell) {
        cell->abandoned = nullptr;
    }
    promise.set(std::move(response)); // which may abandon the watch
}

async::Task<void> ObservedClient::await(std::shared_ptr<zk::Watch> watch, std::shared_ptr<zk::WatchCell> cell)
{
    const async::Future<zk::WatchEvent> fired = watch->fired();
    try {
        const zk::WatchEvent event = co_await fired;
        countWatchEvent();
        m_observer.woken(event);
        cell->armed = false;
        cell->abandoned = nullptr;
        cell->promise.set(event);
    } catch (const async::BrokenPromise &) { // abandoned
    } catch (...) {
        cell->armed = false;
        cell->abandoned = nullptr;
        cell->promise.fail(std::current_exception());
    }
}

} // namespace drover::app
