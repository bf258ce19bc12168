#include "gui/feeds/console_session.h"

#include "jobs/cluster/close_tree.h"

namespace drover::gui {

using Phase = SessionStatus::Phase;
using State = zk::Client::State;
using namespace std::chrono_literals;

namespace {

constexpr async::Duration Patience = 3s; // until "connecting" needs an explanation
constexpr async::Duration BetweenLives = 1s;
constexpr async::Duration BetweenCounts = 500ms;
constexpr async::Duration BetweenLatencies = 5s;

// Servers that enforce an authentication (zookeeper.enforce.auth) end a session without it by a code of their own.
bool isOfAuthentication(zk::Code code)
{
    constexpr int AuthenticationEnforced = -124;
    return code == zk::Code::AuthFailed || static_cast<int>(code) == AuthenticationEnforced;
}

// By the answer to the first request of a session.
async::Task<bool> refusesToAuthenticate(const zk::Reply<zk::Stat> &first)
{
    try {
        const zk::Answer<zk::Stat> answer = co_await first;
        static_cast<void>(answer);
    } catch (const zk::Error &error) {
        co_return isOfAuthentication(error.code());
    }
    co_return false;
}

} // namespace

ConsoleSession::ConsoleSession(async::Loop &loop, SessionSource source, HistoryPlace history)
    : m_loop(loop), m_source(std::move(source)), m_past(std::move(history))
{
    connect(&m_past, &PastJobs::changed, &m_jobs, &JobFeed::showPast);
    connect(&m_locks, &LockFeed::changed, &m_events, &EventsFeed::showLocks);
    connect(&m_ensemble, &EnsembleFeed::changed, &m_events, &EventsFeed::showEnsemble);
    connect(&m_jobs, &JobFeed::archived, &m_past, &PastJobs::lookAgain);
    connect(&m_jobs, &JobFeed::failedInDone, &m_past, &PastJobs::setFailedInDone);
    for (Feed *feed : feeds()) {
        connect(feed, &Feed::troubled, this, [this](const QString &trouble) { report(m_status.phase, trouble); });
    }
}

ConsoleSession::~ConsoleSession()
{
    blockSignals(true);
    close();
}

std::vector<Feed *> ConsoleSession::feeds()
{
    return {&m_znodes, &m_jobs,   &m_workers,  &m_locks,  &m_past,        &m_actions,   &m_changes,
            &m_master, &m_output, &m_ensemble, &m_events, &m_znodeSearch, &m_schedules, &m_znodeEdits};
}

void ConsoleSession::open(const Target &target, const GivenCredentials &given)
{
    close();
    m_given = given;
    m_status.target = target;
    m_tasks = std::make_unique<async::TaskGroup>();
    m_tasks->spawn(run());
    m_tasks->spawn(reportWatches());
}

void ConsoleSession::close()
{
    m_tasks.reset();
    endSession();
    const Target target = m_status.target;
    m_status = {};
    m_status.target = target;
    report(Phase::Disconnected); // first, so that no one takes the empty states for what happened in the cluster
    for (Feed *feed : feeds())
        feed->clear();
}

async::Task<void> ConsoleSession::run()
{
    for (;;) {
        try {
            co_await oneLife();
        } catch (const std::exception &error) {
            endSession();
            report(Phase::Failed, QString::fromUtf8(error.what()));
            co_return;
        }
        co_await async::sleepFor(m_loop, BetweenLives);
    }
}

async::Task<void> ConsoleSession::oneLife()
{
    OpenedSession opened = m_source(m_loop, m_status.target, m_given);
    m_zk = std::move(opened.zk);
    const trust::Certificate own = opened.credentials ? opened.credentials->ownCertificate() : trust::Certificate();
    m_status.user = own.name;
    m_status.roles = own.roles;
    m_status.passwordUser = opened.passwordUser;
    m_status.isPasswordGiven = !m_given.digest.isEmpty();
    const zk::Reply<zk::Stat> first = m_zk->exists(zk::Path("/")); // right behind the authentication
    connect(m_zk.get(), &zk::Client::stateChanged, this, &ConsoleSession::follow);
    follow(m_zk->state());
    attachAll(opened.credentials);
    bool isRefused = false;
    {
        async::TaskGroup measuring;
        measuring.spawn(lookAround());
        isRefused = co_await refusesToAuthenticate(first);
        if (!isRefused)
            co_await m_zk->lost();
    }
    co_await async::sleepFor(m_loop, 0s); // we are called by the session that is about to be destroyed
    endSession();
    isRefused = isRefused || m_status.access == ClusterAccess::NotAuthenticated;
    if (isRefused) {
        m_status.access = ClusterAccess::NotAuthenticated;
        throw std::runtime_error(
            tr("The servers refuse the authentication of each session, so no other is opened. They "
               "may not know its scheme, or want another.")
                .toStdString());
    }
}

void ConsoleSession::follow(State state)
{
    m_patience.cancel();
    m_status.sessionId = m_zk->sessionId();
    m_status.timeout = m_zk->sessionTimeout();
    m_status.server = m_zk->diagnosis().server;
    switch (state) {
    case State::Connecting:
        report(Phase::Connecting);
        m_patience = m_loop.after(Patience, [this] { explainSilence(); });
        break;
    case State::Connected:
        report(Phase::Connected);
        break;
    case State::Suspended:
        report(Phase::Suspended, tr("The connection is gone. Reconnecting…"));
        break;
    case State::Lost:
        report(Phase::Lost, tr("The session has ended; a new one is being made."));
        break;
    }
}

void ConsoleSession::explainSilence()
{
    const QString why = m_zk->diagnosis().trouble;
    const QString advice = tr("No ZooKeeper answers at %1. Start one with “drover up”, or connect to another.");
    report(Phase::Connecting, advice.arg(m_status.target.connect) + (why.isEmpty() ? QString() : u'\n' + why));
    m_patience = m_loop.after(Patience, [this] { explainSilence(); });
}

async::Task<void> ConsoleSession::reportWatches()
{
    int last = -1;
    for (;;) {
        int watches = 0;
        for (const Feed *feed : feeds())
            watches += feed->watches();
        if (watches != std::exchange(last, watches))
            Q_EMIT watchesChanged(watches);
        co_await async::sleepFor(m_loop, BetweenCounts);
    }
}

// By small reads, until the session is lost: how long they take, and what they say of the cluster.
async::Task<void> ConsoleSession::lookAround()
{
    for (;;) {
        try {
            co_await m_zk->connected();
            const ClusterAccess found = co_await access();
            showAccess(found);
            if (found == ClusterAccess::NotAuthenticated) // by a server that it has found later
                co_await m_zk->close();
        } catch (const zk::ConnectionLoss &) {
        } catch (const zk::SessionLost &) {
            co_return;
        }
        co_await async::sleepFor(m_loop, BetweenLatencies);
    }
}

async::Task<ClusterAccess> ConsoleSession::access()
{
    const jobs::Cluster cluster(*m_zk, jobs::Layout(m_status.target.cluster));
    const async::TimePoint asked = m_loop.now();
    const auto measure = [this, asked] {
        Q_EMIT latencyMeasured(std::chrono::duration_cast<std::chrono::microseconds>(m_loop.now() - asked));
    };
    try {
        const zk::Answer<zk::Node> config = co_await m_zk->get(cluster.layout.config());
        measure();
        if (!config.ok())
            co_return ClusterAccess::Missing;
    } catch (const zk::Error &error) {
        const bool isRefused = error.code() == zk::Code::NoAuth;
        if (!isRefused && !isOfAuthentication(error.code()))
            throw;
        measure();
        co_return isRefused ? ClusterAccess::Refused : ClusterAccess::NotAuthenticated;
    }
    const std::optional<bool> isOpen = co_await jobs::isOpen(cluster);
    if (!isOpen)
        co_return ClusterAccess::Missing; // it was deleted just now
    co_return *isOpen ? ClusterAccess::Open : ClusterAccess::Closed;
}

void ConsoleSession::showAccess(ClusterAccess access)
{
    if (access == m_status.access)
        return;
    m_status.access = access;
    Q_EMIT statusChanged(m_status);
}

void ConsoleSession::attachAll(const std::shared_ptr<const trust::Credentials> &credentials)
{
    for (Feed *feed : feeds())
        feed->attach(*m_zk, m_status.target, credentials);
}

void ConsoleSession::endSession()
{
    for (Feed *feed : feeds())
        feed->detach();
    m_patience.cancel();
    if (m_zk)
        m_zk->disconnect(this); // its destructor says Lost once more
    m_zk.reset();
}

void ConsoleSession::report(Phase phase, const QString &trouble)
{
    m_status.phase = phase;
    m_status.trouble = trouble;
    Q_EMIT statusChanged(m_status);
}

} // namespace drover::gui
