#include "drover_on_server.h"

#include "jobs/cluster.h"
#include "support/await.h"

#include <QJsonDocument>

namespace drover::test {

namespace {

template <typename T>
async::Task<zk::Answer<T>> answer(zk::Reply<T> reply)
{
    zk::Answer<T> given = co_await reply;
    co_return given;
}

} // namespace

void DroverOnServer::start(const QByteArrayList &queues)
{
    server.start();
    reconnect();
    await(jobs::ensureCluster(*m_session, layout, queues));
    drover.setVariable("DROVER_CONNECT", server.connectString());
}

void DroverOnServer::reconnect()
{
    if (!m_session || m_session->state() == zk::Coordinator::State::Lost) {
        zk::SessionOptions options;
        options.servers = server.connectString();
        m_session = std::make_unique<zk::Session>(m_loop, options);
        m_session->open();
    }
    await(m_session->connected());
}

QByteArrayList DroverOnServer::children(const zk::Path &path)
{
    const zk::Answer<zk::Children> listed = await(answer(m_session->children(path)));
    return listed.ok() ? listed->names : QByteArrayList();
}

QJsonObject DroverOnServer::json(const zk::Path &path)
{
    const zk::Answer<zk::Node> node = await(answer(m_session->get(path)));
    node.require();
    return QJsonDocument::fromJson(node->data).object();
}

void DroverOnServer::write(const zk::Path &path, const QByteArray &data)
{
    if (await(answer(m_session->create(path, data))).is(zk::Code::NodeExists))
        await(answer(m_session->set(path, data))).require();
}

void DroverOnServer::createFor(const zk::Path &path, const QByteArray &data, const zk::AclList &acl)
{
    await(answer(m_session->create(path, data, zk::CreateMode::Persistent, acl))).require();
}

void DroverOnServer::remove(const zk::Path &path)
{
    const zk::Answer<zk::Nothing> removed = await(answer(m_session->remove(path)));
    if (removed.code() != zk::Code::NoNode)
        removed.require();
}

} // namespace drover::test
