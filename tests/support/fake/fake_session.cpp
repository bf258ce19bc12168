#include "support/fake/fake_session.h"

#include <QPointer>

#include <algorithm>

namespace drover::test {

using async::Duration;
using async::TimePoint;
using zk::Code;

namespace {

constexpr std::chrono::milliseconds TimeToNextServer{20}; // after one has refused the session

} // namespace

FakeSession::FakeSession(FakeZooKeeper &server, ProcessLoop &loop, const FakeSessionOptions &options)
    : Client(loop), m_server(server), m_process(loop), m_options(options)
{
    setChroot(options.chroot);
    m_server.m_clients.push_back(this);
    connect(&loop, &ProcessLoop::froze, this, &FakeSession::froze);
    connect(&loop, &ProcessLoop::thawed, this, &FakeSession::thawed);
    scheduleConnect();
}

FakeSession::~FakeSession()
{
    std::erase(m_server.m_clients, this);
    sayGoodbye();
    m_destroyed = true;
    becomeLost(Code::Closing);
}

TimePoint FakeSession::aliveUntil() const
{
    const TimePoint heard = m_beating ? m_process.now() - 2 * m_options.latency : m_lastHeard;
    return heard + m_options.sessionTimeout;
}

async::Task<void> FakeSession::close()
{
    const auto closed = std::make_shared<async::Event>(); // outlives this
    m_process.post([self = QPointer(this), &loop = m_process, closed] {
        const TimePoint answered = self ? self->sayGoodbye() : loop.now();
        if (self)
            self->becomeLost(Code::Closing);
        loop.at(answered, [closed] { closed->set(); });
    });
    co_await closed->wait();
}

// Gives up the connection, with a request to close the session if it is up; returns when that is answered.
TimePoint FakeSession::sayGoodbye()
{
    TimePoint answered = m_process.now();
    if (m_connection && m_connection->open() && m_established) {
        answered = m_connection->toServer([server = &m_server, id = m_id] { server->close(id); }) + m_options.latency;
        m_connection->closeClientEnd();
    } else if (m_connection) {
        m_connection->sever();
        m_server.connectionGone(m_connection->session());
    }
    m_connection.reset();
    return answered;
}

void FakeSession::scheduleConnect()
{
    if (m_connection || state() == State::Lost || !m_server.running() || m_unreachableUntil == TimePoint::max())
        return;
    m_retry = m_process.after(m_unreachableUntil - m_process.now(), [this] { connectNow(); });
}

void FakeSession::connectNow()
{
    if (m_connection || state() == State::Lost || !m_server.running() || m_unreachableUntil > m_process.now())
        return;
    m_connection = std::make_shared<FakeConnection>(this, m_process, m_options.latency);
    FakeZooKeeper::Hello hello{m_id, sessionTimeout(), m_seen, {}};
    if (m_options.faults)
        hello.server = m_options.faults->nextServer();
    m_connection->toServer([server = &m_server, connection = m_connection, hello] {
        const FakeZooKeeper::Welcome answer = server->greet(connection, hello);
        connection->toClient([connection, answer] { connection->client()->welcome(answer); });
    });
}

void FakeSession::welcome(const FakeZooKeeper::Welcome &answer)
{
    if (answer.refused) {
        m_connection->sever();
        m_connection.reset();
        disconnectFor(TimeToNextServer);
        scheduleConnect();
        return;
    }
    if (answer.session == 0) {
        becomeLost();
        return;
    }
    m_id = answer.session;
    m_established = true;
    m_beating = true;
    m_expiry.cancel();
    const auto standing = m_watches.standing();
    if (!standing.empty()) {
        m_connection->toServer([server = &m_server, connection = m_connection, standing, seen = m_seen] {
            server->rearm(connection, standing, seen);
        });
    }
    for (const FakeCallPtr &call : std::deque(m_outstanding)) {
        if (m_established)
            transmit(call);
    }
    setState(State::Connected);
}

async::Future<zk::Response> FakeSession::submit(zk::Request request, std::shared_ptr<zk::WatchCell> watch)
{
    auto call = std::make_shared<FakeCall>();
    call->request = std::move(request);
    if (m_options.sabotage)
        m_options.sabotage(call->request);
    if (watch)
        call->place = m_watches.expect(*watch);
    call->watch = std::move(watch);
    async::Future<zk::Response> future = call->promise.future();
    if (state() == State::Lost) {
        fail({call}, Code::SessionExpired);
        return future;
    }
    m_outstanding.push_back(call);
    if (isOverdue())
        m_process.post([self = QPointer(this)] { // whatever arrives until then: the call was not sent
            if (self && self->state() != State::Lost)
                self->becomeLost();
        });
    else if (m_established)
        transmit(call);
    return future;
}

void FakeSession::transmit(const FakeCallPtr &call)
{
    if (!zk::isSendable(call->request)) { // the client library looks at it first
        std::erase(m_outstanding, call);
        fail({call}, Code::BadArguments);
        return;
    }
    FaultInjector::Decision fate;
    if (m_options.faults)
        fate = m_options.faults->next();
    if (m_connection->open() && (fate.fault == Fault::Disconnect || fate.fault == Fault::FailSend))
        fate.bite();
    if (fate.fault == Fault::Disconnect)
        disconnectFor(fate.duration);
    if (fate.fault == Fault::FailSend) {
        failSend(call);
        disconnectFor(fate.duration);
        return;
    }
    const bool late = fate.fault == Fault::Delay && !fate.ofReply;
    m_connection->toServer(
        [server = &m_server, connection = m_connection, call, fate] { server->receive(connection, call, fate); },
        late ? fate.duration : Duration::zero());
    if (fate.fault == Fault::Pause) {
        m_pause = fate;
        m_process.freezeFor(fate.duration);
    }
}

// The first to learn that the connection is broken. What has been sent is lost with it; later calls wait.
void FakeSession::failSend(const FakeCallPtr &call)
{
    const auto waiting = std::next(std::find(m_outstanding.begin(), m_outstanding.end(), call));
    m_lost.assign(m_outstanding.begin(), waiting);
    m_outstanding.erase(m_outstanding.begin(), waiting);
    m_established = false;
}

void FakeSession::receive(const FakeCallPtr &call, zk::Zxid zxid)
{
    if (loseIfOverdue())
        return;
    if (call->response.code == Code::AuthFailed) {
        becomeLost(Code::AuthFailed);
        return;
    }
    m_seen = std::max(m_seen, zxid);
    std::erase(m_outstanding, call); // the first, unless a break mixed things up
    const Code code = call->response.code;
    if (call->watch && arms(call->watch->kind, code))
        arm(call->watch, code == Code::Ok, std::move(call->place));
    call->watch.reset();
    call->place.reset();
    call->promise.set(seen(call->response)); // a copy: the server's log keeps the call
}

void FakeSession::arm(const std::shared_ptr<zk::WatchCell> &watch, bool nodeExists, ClientWatches::Place place)
{
    if (watch.use_count() == 1) { // its Watch has gone while the read was under way
        disarmOnServer(*watch);
        return;
    }
    watch->armed = true;
    watch->abandoned = [this](zk::WatchCell &cell) { abandon(cell); };
    m_watches.arm(watch, nodeExists, std::move(place));
}

void FakeSession::abandon(const zk::WatchCell &watch)
{
    m_watches.forget(watch);
    disarmOnServer(watch);
}

// Unless another Watch, or a read under way, counts on the same watch of the server.
void FakeSession::disarmOnServer(const zk::WatchCell &watch)
{
    const ServerWatches::Table table = ServerWatches::tableOf(watch.kind);
    const bool wanted = std::any_of(m_outstanding.begin(), m_outstanding.end(), [&](const FakeCallPtr &call) {
        return call->watch && call->watch->path == watch.path && ServerWatches::tableOf(call->watch->kind) == table;
    });
    if (wanted || !m_established || m_watches.needs(table, watch.path))
        return;
    m_connection->toServer(
        [server = &m_server, id = m_id, table, path = watch.path] { server->disarm(id, table, path); });
}

void FakeSession::watchFired(const zk::WatchEvent &event)
{
    if (loseIfOverdue())
        return;
    const auto fired = m_watches.take(event);
    for (const auto &watch : fired) {
        watch->abandoned = nullptr;
        countWatchEvent();
    }
    for (const auto &watch : fired) { // each may destroy this
        watch->armed = false;
        watch->promise.set(seen(event));
    }
}

void FakeSession::disconnect()
{
    m_unreachableUntil = TimePoint::max();
    breakConnection({});
}

void FakeSession::disconnectFor(Duration duration)
{
    m_unreachableUntil = std::max(m_unreachableUntil, m_process.now() + duration);
    breakConnection({});
}

void FakeSession::reconnect()
{
    m_unreachableUntil = m_process.now();
    scheduleConnect();
}

void FakeSession::partition()
{
    m_unreachableUntil = TimePoint::max();
    breakConnection(m_options.sessionTimeout * 2 / 3);
}

void FakeSession::crash()
{
    disconnect();
    m_notice.cancel();
}

void FakeSession::breakConnection(Duration noticedAfter)
{
    if (!m_connection || !m_connection->open())
        return;
    stopBeating();
    m_connection->sever();
    m_server.connectionGone(m_connection->session());
    m_notice = m_process.after(noticedAfter, [this] { connectionLost(); });
}

void FakeSession::connectionLost()
{
    if (loseIfOverdue())
        return;
    stopBeating();
    if (m_connection)
        m_connection->sever();
    m_connection.reset();
    std::deque<FakeCallPtr> failed = std::exchange(m_lost, {});
    if (std::exchange(m_established, false))
        failed.swap(m_outstanding);
    if (m_id != 0)
        m_expiry = m_process.after(aliveUntil() - m_process.now(), [this] { becomeLost(); });
    scheduleConnect();
    fail(failed, Code::ConnectionLoss);
    if (state() == State::Connected)
        setState(State::Suspended);
}

void FakeSession::stopBeating()
{
    if (std::exchange(m_beating, false))
        m_lastHeard = m_process.now() - 2 * m_options.latency;
}

void FakeSession::froze()
{
    m_frozeAt = m_process.now();
    if (!m_connection || !m_connection->open())
        return;
    stopBeating();
    m_server.silent(m_connection->session());
}

// A client that wakes up past its time is lost, a late one gives its connection up, an early one sends its heartbeat.
void FakeSession::thawed()
{
    const bool isLate = m_process.now() - m_frozeAt >= m_options.sessionTimeout * 2 / 3;
    if (const FaultInjector::Decision pause = std::exchange(m_pause, {}); isLate)
        pause.bite();
    if (!m_connection || !m_connection->open())
        return;
    if (isLate) {
        m_process.post([self = QPointer(this), connection = m_connection] {
            if (self && !self->loseIfOverdue() && self->m_connection == connection)
                self->breakConnection({});
        });
        return;
    }
    m_connection->toServer([server = &m_server, connection = m_connection] {
        if (!server->heard(connection->session()))
            return;
        connection->toClient([connection] {
            FakeSession *client = connection->client();
            client->m_beating = client->m_established && !client->m_process.frozen();
        });
    });
}

// What proves that the session lives has to go through the leader, and no longer does.
void FakeSession::unheard()
{
    if (m_options.readsProve)
        return;
    stopBeating();
    m_expiry = m_process.after(aliveUntil() - m_process.now(), [this] { becomeLost(); });
}

bool FakeSession::isOverdue() const
{
    return m_id != 0 && state() != State::Lost && m_process.now() > aliveUntil();
}

bool FakeSession::loseIfOverdue()
{
    if (!isOverdue())
        return false;
    becomeLost();
    return true;
}

// All learn it in the order that zk::Session has: the state, the watches, the calls.
void FakeSession::becomeLost(Code code)
{
    stopBeating();
    if (m_connection) {
        m_connection->sever();
        m_server.connectionGone(m_id);
    }
    m_connection.reset();
    m_established = false;
    for (async::Timer *timer : {&m_notice, &m_retry, &m_expiry})
        timer->cancel();
    std::deque<FakeCallPtr> ended = std::exchange(m_lost, {});
    ended.insert(ended.end(), m_outstanding.begin(), m_outstanding.end());
    m_outstanding.clear();
    const auto watches = m_watches.takeAll();
    if (m_destroyed)
        setState(State::Lost);
    for (const auto &watch : watches) {
        watch->abandoned = nullptr;
        deliver([watch] {
            watch->armed = false;
            watch->promise.fail(std::make_exception_ptr(
                zk::SessionLost(QStringLiteral("watch on %1: the session has ended").arg(watch->path.toString()))));
        });
    }
    fail(ended, code);
    setState(State::Lost); // may destroy this
}

void FakeSession::fail(const std::deque<FakeCallPtr> &calls, Code code)
{
    for (const FakeCallPtr &call : calls) {
        deliver([call, code] {
            call->watch.reset();
            call->place.reset();
            zk::Response response;
            response.code = code;
            call->promise.set(std::move(response));
        });
    }
}

// From the loop, or at once when this is being destroyed, so that no caller waits for ever.
void FakeSession::deliver(std::function<void()> callback)
{
    if (m_destroyed)
        callback();
    else
        m_process.post(std::move(callback));
}

} // namespace drover::test
