#pragma once

#include "async/task_group.h"
#include "zk/client.h"

namespace drover::app {

// Passes everything on to another client, and tells an observer of each request, answer and watch event. So a recipe is
// watched from outside, without a change of its code. The other client must outlive it.
class ObservedClient final : public zk::Client
{
    Q_OBJECT

public:
    struct Asked {
        QByteArray operation; // zk::operationName(); a transaction is "multi"
        zk::Path path;
        bool watches = false;
    };
    struct Observer {
        std::function<void(const Asked &)> sent;
        std::function<void(const Asked &, zk::Code)> answered;
        std::function<void(const zk::WatchEvent &)> woken;
    };

    ObservedClient(zk::Client &inner, Observer observer);

    zk::SessionId sessionId() const override { return m_inner.sessionId(); }
    std::chrono::milliseconds sessionTimeout() const override { return m_inner.sessionTimeout(); }
    async::TimePoint aliveUntil() const override { return m_inner.aliveUntil(); }
    async::Task<void> close() override { return m_inner.close(); }

protected:
    async::Future<zk::Response> submit(zk::Request request, std::shared_ptr<zk::WatchCell> cell) override;

private:
    async::Task<void> pass(zk::Request request, std::shared_ptr<zk::WatchCell> cell,
                           async::Promise<zk::Response> promise);
    async::Task<void> await(std::shared_ptr<zk::Watch> watch, std::shared_ptr<zk::WatchCell> cell);

    zk::Client &m_inner;
    Observer m_observer;
    async::TaskGroup m_tasks{[](const std::exception_ptr &) {}}; // the promises tell
};

} // namespace drover::app
