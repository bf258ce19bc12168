#include "output/remote_output.h"

#include "jobs/cluster/cluster_key.h"
#include "jobs/model/worker_info.h"
#include "recipes/blocks/persistent.h"

namespace drover::output {

using namespace std::chrono_literals;

namespace {

constexpr auto AnswerLimit = 10s; // beyond what a request waits

} // namespace

RemoteOutput::RemoteOutput(jobs::Cluster cluster, QByteArray worker)
    : m_cluster(std::move(cluster)), m_worker(std::move(worker))
{
}

RemoteOutput::~RemoteOutput() = default;

async::Task<void> RemoteOutput::find()
{
    const QString name = QString::fromUtf8(m_worker);
    const zk::Answer<zk::Node> member =
        co_await recipes::Persistent(m_cluster.zk).get(m_cluster.layout.members() / m_worker);
    if (!member.ok())
        throw WorkerGone(QStringLiteral("worker %1 has gone").arg(name));
    const std::optional<jobs::WorkerInfo> info = jobs::tryDecode<jobs::WorkerInfo>(member->data);
    const std::optional<net::Endpoint> endpoint = info ? net::Endpoint::parse(info->endpoint) : std::nullopt;
    if (!endpoint)
        throw WorkerGone(QStringLiteral("worker %1 serves no output (worker --listen)").arg(name));
    const std::optional<QByteArray> key = co_await jobs::clusterKey(m_cluster);
    if (!key)
        throw WorkerGone(
            QStringLiteral("cluster %1 has no readable key").arg(QString::fromUtf8(m_cluster.layout.clusterName())));
    m_client = std::make_unique<net::RequestClient>(
        m_cluster.zk.loop(), *endpoint, net::SharedKey{m_cluster.layout.clusterName(), *key}, OutputReply::MaxSize);
}

async::Task<OutputReply> RemoteOutput::read(OutputRequest request)
{
    if (!m_client)
        co_await find();
    QString why;
    try {
        const QByteArray reply = co_await m_client->request(request.encode(), request.wait + AnswerLimit);
        co_return OutputReply::decode(reply);
    } catch (const net::Unreachable &error) {
        why = QString::fromUtf8(error.what());
    } catch (const net::WrongKey &error) {
        why = QString::fromUtf8(error.what());
    } catch (const net::Refused &error) {
        why = QStringLiteral("it refuses: %1").arg(QString::fromUtf8(error.what()));
    } catch (const jobs::Malformed &error) {
        why = QStringLiteral("its answer is malformed: %1").arg(QString::fromUtf8(error.what()));
    }
    m_client.reset();
    throw OutputLost(QStringLiteral("worker %1: %2").arg(QString::fromUtf8(m_worker), why));
}

} // namespace drover::output
