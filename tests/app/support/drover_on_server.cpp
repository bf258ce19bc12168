#include "drover_on_server.h"

#include "access_of.h"
#include "jobs/cluster/close_tree.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/cluster/cluster_trust.h"
#include "open_nodes.h"
#include "support/await.h"
#include "support/send_signal.h"
#include "trust/issuer.h"

#include <QDir>
#include <QJsonDocument>
#include <QTest>

namespace drover::test {

namespace {

template <typename T>
async::Task<zk::Answer<T>> answer(zk::Reply<T> reply)
{
    zk::Answer<T> given = co_await reply;
    co_return given;
}

// A closed cluster has a list.
async::Task<void> revokeNobody(jobs::Cluster cluster, const trust::Issuer &issuer)
{
    const std::set<QByteArray> nobody;
    co_await jobs::revoke(cluster, issuer, nobody);
}

} // namespace

void DroverOnServer::start(const QByteArrayList &queues)
{
    server.start();
    if (m_isClosed)
        makeCredentials();
    reconnect();
    await(jobs::ensureCluster(jobs::Cluster(*m_session, layout), queues));
    drover.setVariable("DROVER_CONNECT", server.connectString());
}

void DroverOnServer::makeCredentials()
{
    const trust::Issuer issuer = trust::Issuer::found(layout.clusterName(), server.connectString());
    m_credentials = issuer.issue(
        {.name = QStringLiteral("test"), .roles = {trust::AllRoles.begin(), trust::AllRoles.end()}, .runAs = runAs});
    const QString folder =
        drover.environment().value(QStringLiteral("XDG_CONFIG_HOME")) + QStringLiteral("/drover/credentials");
    QDir().mkpath(folder);
    m_credentials->write(folder + u'/' + QString::fromLatin1(layout.clusterName()));
    m_access = accessOf(*m_credentials);
    reconnect();
    await(jobs::closeTree(jobs::Cluster(*m_session, layout), issuer.identities()));
    await(revokeNobody(jobs::Cluster(*m_session, layout), issuer));
}

DroverOnServer::~DroverOnServer()
{
    if (!m_isClosed || !m_session)
        return;
    try {
        if (server.watches() < 0)
            return; // the test has stopped it
        reconnect();
        const QByteArrayList open = openNodes(*m_session, layout.root());
        if (!open.isEmpty())
            qFatal("nodes of the closed cluster are open to all clients: %s", open.join(' ').constData());
    } catch (const std::exception &error) {
        qWarning("the nodes' ACLs were not looked at: %s", error.what());
    }
}

// A server that takes long to come back loses the session meanwhile: then another takes its place.
void DroverOnServer::reconnect()
{
    for (;;) {
        if (!m_session || m_session->state() == zk::Client::State::Lost) {
            zk::SessionOptions options;
            options.servers = server.connectString();
            options.access = m_access;
            m_session = std::make_unique<zk::Session>(m_loop, options);
            m_session->open();
        }
        try {
            return await(m_session->connected());
        } catch (const zk::SessionLost &) {
        }
    }
}

// Asks until an answer comes, in a new session if the last one was lost: the test may stand still on a slow machine.
template <typename Ask>
auto DroverOnServer::insist(const Ask &ask)
{
    for (;;) {
        try {
            return await(answer(ask()));
        } catch (const zk::ConnectionLoss &) {
        } catch (const zk::SessionLost &) {
        }
        reconnect();
    }
}

QByteArrayList DroverOnServer::children(const zk::Path &path)
{
    const zk::Answer<zk::Children> listed = insist([&] { return m_session->children(path); });
    return listed.ok() ? listed->names : QByteArrayList();
}

QByteArray DroverOnServer::data(const zk::Path &path)
{
    const zk::Answer<zk::Node> node = insist([&] { return m_session->get(path); });
    node.require();
    return node->data;
}

QJsonObject DroverOnServer::json(const zk::Path &path)
{
    return QJsonDocument::fromJson(data(path)).object();
}

void DroverOnServer::write(const zk::Path &path, const QByteArray &data)
{
    if (insist([&] { return m_session->create(path, data); }).is(zk::Code::NodeExists))
        insist([&] { return m_session->set(path, data); }).require();
}

void DroverOnServer::createFor(const zk::Path &path, const QByteArray &data, const zk::AclList &acl)
{
    await(answer(m_session->create(path, data, zk::CreateMode::Persistent, acl))).require();
}

void DroverOnServer::remove(const zk::Path &path)
{
    const zk::Answer<zk::Nothing> removed = insist([&] { return m_session->remove(path); });
    if (removed.code() != zk::Code::NoNode)
        removed.require();
}

void DroverOnServer::stopWorker(std::unique_ptr<QProcess> &worker)
{
    if (!worker)
        return;
    sendSignal(*worker, SIGTERM);
    DroverProgram::finish(*worker);
    worker.reset();
    QTRY_VERIFY_WITH_TIMEOUT(children(layout.members()).isEmpty(), 30'000);
}

void DroverOnServer::flood(const zk::Path &directory, int count, int nameLength,
                           const std::function<QByteArray(int)> &data)
{
    constexpr int Flight = 500;
    for (int first = 0; first < count; first += Flight) {
        std::vector<zk::Reply<zk::Created>> creating;
        for (int i = first; i < std::min(count, first + Flight); ++i)
            creating.push_back(
                m_session->create(directory / ("flood-" + QByteArray::number(i)).leftJustified(nameLength, 'x'),
                                  data ? data(i) : QByteArray()));
        for (const zk::Reply<zk::Created> &reply : creating)
            await(answer(reply)).require();
    }
}

} // namespace drover::test
