#include "app/environment/context.h"

#include "app/cli/failure.h"
#include "app/environment/directories.h"
#include "async/offload.h"
#include "async/or_timeout.h"
#include "jobs/audit/actor_name.h"
#include "jobs/cluster/cluster_trust.h"
#include "posix/disk_space.h"
#include "text/quantity.h"
#include "trust/renewal.h"
#include "zk/client/session.h"
#include "zk/server/four_letter_word.h"

#include <QFile>

namespace drover::app {

using namespace std::chrono_literals;

Context::Context(async::Loop &loop, UnixSignals &unixSignals, Arguments arguments, Settings settings,
                 std::optional<Need> need)
    : m_loop(loop), m_signals(unixSignals), m_arguments(std::move(arguments)), m_settings(std::move(settings)),
      m_out(m_settings.format), m_need(std::move(need))
{
}

Context::~Context() = default;

std::shared_ptr<const trust::Credentials> Context::credentials() const
{
    if (!m_credentials)
        m_credentials = findCredentials(m_settings);
    return m_credentials->credentials;
}

zk::ServerList Context::requireServers() const
{
    if (m_settings.connect.isEmpty())
        throw CommandError(ExitUnreachable,
                           QStringLiteral("no ZooKeeper given and no drover up running: start one with drover up, or "
                                          "name the servers with --connect, DROVER_CONNECT or a configuration file"));
    try {
        return zk::parseConnectString(m_settings.connect);
    } catch (const zk::InvalidConnectString &error) {
        throw UsageError(QStringLiteral("%1: %2").arg(m_settings.connectSource, QString::fromUtf8(error.what())));
    }
}

std::unique_ptr<zk::Client> Context::newSession(std::chrono::milliseconds timeout) const
{
    static_cast<void>(requireServers());
    const zk::SessionOptions options{
        .servers = m_settings.connect, .timeout = timeout, .access = accessWith(credentials().get(), layout())};
    auto session = std::make_unique<zk::Session>(m_loop, options);
    session->open();
    return session;
}

namespace {

// The first of these addresses at which a program answers that is not a ZooKeeper server, and what it answers. Empty:
// none does within a second each.
async::Task<QString> strangerAmong(async::Loop &loop, zk::ServerList servers)
{
    for (const zk::ServerAddress &server : servers) {
        try {
            const QByteArray answer =
                co_await async::orTimeout(loop, zk::fourLetterWord(server.host, server.port, "srvr"), 1s);
            if (!answer.isEmpty() && !zk::isOfZooKeeper(answer))
                co_return QStringLiteral("%1 %2").arg(server.toString(), zk::anotherProgram(answer));
        } catch (const zk::NoAnswer &) {
        } catch (const async::Timeout &) {
        }
    }
    co_return QString();
}

// Returns at the first answer to a request. A server can shake hands and say nothing more.
async::Task<void> firstAnswer(zk::Client &session)
{
    for (;;) {
        co_await session.connected();
        try {
            const zk::Answer<zk::Stat> root = co_await session.exists(zk::Path("/"));
            static_cast<void>(root);
            co_return;
        } catch (const zk::ConnectionLoss &) {
        }
    }
}

// What to do when the server of the running `drover up` does not answer.
QString adviceOfUp()
{
    if (posix::isOutOfSpace(QFile::encodeName(dataDirectory()).toStdString()))
        return QStringLiteral("no space is left on the device of %1: make room, and drover up starts it again")
            .arg(dataDirectory());
    return QStringLiteral("if it is stopped, continue it (kill -CONT); or drover down, and drover up again");
}

} // namespace

async::Task<void> Context::awaitConnection(zk::Client &session) const
{
    QString trouble;
    try {
        co_await async::orTimeout(m_loop, firstAnswer(session), m_settings.connectTimeout);
        co_return;
    } catch (const async::Timeout &) {
        trouble = session.diagnosis().trouble;
    }
    if (m_settings.isOfUp())
        throw CommandError(
            ExitUnreachable,
            QStringLiteral("the ZooKeeper of the running drover up, at %1, does not answer within %2; %3")
                .arg(m_settings.connect, text::formatDuration(m_settings.connectTimeout), adviceOfUp()));
    try { // a server that is silent here as well is not named: the user has waited long enough
        const QString stranger =
            co_await async::orTimeout(m_loop, strangerAmong(m_loop, zk::parseConnectString(m_settings.connect)),
                                      std::min<std::chrono::milliseconds>(1s, m_settings.connectTimeout));
        trouble = stranger.isEmpty() ? trouble : stranger;
    } catch (const async::Timeout &) {
    }
    throw CommandError(ExitUnreachable,
                       QStringLiteral("no ZooKeeper answers at %1 (from %2) within %3%4; check the address, or start "
                                      "one with drover up")
                           .arg(m_settings.connect, m_settings.connectSource,
                                text::formatDuration(m_settings.connectTimeout),
                                trouble.isEmpty() ? QString() : QStringLiteral(": ") + trouble));
}

async::Task<zk::Client *> Context::connect(std::chrono::milliseconds sessionTimeout)
{
    m_session = newSession(sessionTimeout);
    co_await awaitConnection(*m_session);
    co_return m_session.get();
}

void Context::requireRole() const
{
    if (!m_need || !credentials())
        return;
    const trust::Certificate own = credentials()->ownCertificate();
    if (!m_need->isMetBy(own.roles))
        throw CommandError(ExitDenied, m_need->refusalOf(own.name, own.roles));
}

async::Task<jobs::Cluster> Context::openCluster()
{
    requireRole();
    if (!credentials())
        jobs::submitterName(); // it may block, as long as there is no session
    zk::Client *const zk = co_await connect();
    co_await renewCredentials(*zk);
    const jobs::Cluster cluster(*zk, layout(), credentials());
    try {
        m_clusterConfig = co_await jobs::readClusterConfig(cluster);
    } catch (const zk::AccessDenied &) {
        throw CommandError(ExitDenied, whyDenied());
    }
    co_return cluster;
}

namespace {

struct Renewed {
    std::shared_ptr<const trust::Credentials> credentials{}; // null: nothing is new
    QString trouble{};
};

// The file may have been replaced since it was read (drover login, drover key rotate).
Renewed renew(const trust::Credentials &known, const QString &file, const QByteArray &renewals)
{
    Renewed renewed;
    try {
        trust::Credentials mine = file.isEmpty() ? known.copy() : trust::Credentials::read(file);
        const bool isReplaced = mine.certificate != known.certificate || mine.renewal != known.renewal;
        const bool isSame = mine.ownCertificate().serial == known.ownCertificate().serial;
        const bool isRenewed = isSame && trust::takeRenewals(mine, renewals);
        if (!isReplaced && !isRenewed)
            return renewed;
        const auto next = std::make_shared<const trust::Credentials>(std::move(mine));
        renewed.credentials = next;
        if (isRenewed && !file.isEmpty())
            next->write(file);
    } catch (const trust::Untrusted &error) {
        renewed.trouble =
            QStringLiteral("%1; ask an administrator for a new file").arg(QString::fromUtf8(error.what()));
    } catch (const trust::BadCredentials &error) {
        renewed.trouble =
            QStringLiteral("your credentials are renewed for now only: %1").arg(QString::fromUtf8(error.what()));
    }
    return renewed;
}

} // namespace

async::Task<bool> Context::renewCredentials(zk::Client &session)
{
    const std::shared_ptr<const trust::Credentials> known = credentials();
    if (!known)
        co_return false;
    const jobs::Cluster cluster(session, layout());
    const QByteArray renewals = co_await jobs::readRenewals(cluster, known->ownCertificate().serial);
    if (renewals.isEmpty())
        co_return false;
    const std::function<Renewed()> work = [known, renewals, file = credentialsFile()] {
        return renew(*known, file, renewals);
    };
    const Renewed renewed = co_await async::offload(m_loop, work);
    if (!renewed.trouble.isEmpty())
        Output::message(renewed.trouble);
    if (!renewed.credentials)
        co_return false;
    takeCredentials(renewed.credentials, session);
    co_return true;
}

void Context::takeCredentials(std::shared_ptr<const trust::Credentials> credentials, zk::Client &session)
{
    m_credentials->credentials = std::move(credentials);
    const zk::Access access = accessWith(m_credentials->credentials.get(), layout());
    session.setAclOfNewNodes(access.acl);
    for (const zk::AuthInfo &auth : access.auth)
        static_cast<void>(session.addAuth(auth.scheme, auth.secret)); // sent again on each reconnection
}

QString Context::whyDenied() const
{
    const QString name = QString::fromLatin1(m_settings.cluster);
    if (credentials())
        return QStringLiteral("cluster %1 at %2 does not accept these credentials; ask for new ones, and name them "
                              "with --credentials")
            .arg(name, m_settings.connect);
    return QStringLiteral("cluster %1 at %2 is closed, and there are no credentials for it; name their file with "
                          "--credentials, or put it at %3")
        .arg(name, m_settings.connect, userCredentialsFile(m_settings.cluster));
}

QString Context::whyDenied(const QString &error) const
{
    if (!m_need || !m_need->role)
        return error;
    if (!credentials())
        return whyDenied();
    const trust::Certificate own = credentials()->ownCertificate();
    return QStringLiteral("%1, although %2 is %3, and this needs the role %4; new credentials help if the passwords of "
                          "the roles have changed: %5")
        .arg(error, own.name, trust::rolesText(own.roles), m_need->text(), m_need->grantTo(own.name, own.roles));
}

async::Task<void> Context::inEverySession(recipes::SessionBody body)
{
    const auto present = [this] {
        if (m_session->state() == zk::Client::State::Lost)
            m_session = newSession(DefaultSessionTimeout);
        return m_session;
    };
    const auto tell = [](const zk::SessionLost &error, std::chrono::milliseconds) {
        Output::message(QStringLiteral("%1; going on with a new one").arg(QString::fromUtf8(error.what())));
    };
    co_await recipes::forEachSession(m_loop, present, body, tell);
}

namespace {

async::Task<void> cleanUpAndClose(zk::Client &session)
{
    co_await session.cleanupsDone();
    co_await session.close();
}

} // namespace

async::Task<void> Context::close(zk::Client &session)
{
    if (session.state() == zk::Client::State::Lost)
        co_return;
    try {
        co_await async::orTimeout(session.loop(), cleanUpAndClose(session), std::chrono::seconds(2));
    } catch (const async::Timeout &) {
    }
}

async::Task<void> Context::close()
{
    if (m_session)
        co_await close(*m_session);
}

} // namespace drover::app
