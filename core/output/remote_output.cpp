#include "output/remote_output.h"

#include "jobs/cluster/output_access.h"
#include "jobs/model/json_fields.h"
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
    const recipes::Persistent persistent(m_cluster.zk);
    const zk::Answer<zk::Node> node = co_await persistent.get(m_cluster.layout.output(m_worker));
    if (!node.ok()) {
        const zk::Answer<zk::Stat> member = co_await persistent.exists(m_cluster.layout.members() / m_worker);
        throw WorkerGone(member.ok() ? QStringLiteral("worker %1 serves no output (worker --listen)").arg(name)
                                     : QStringLiteral("worker %1 has gone").arg(name));
    }
    const std::optional<jobs::OutputAccess> access = jobs::tryDecode<jobs::OutputAccess>(node->data);
    const std::optional<net::Endpoint> endpoint = access ? net::Endpoint::parse(access->endpoint) : std::nullopt;
    if (!endpoint)
        throw WorkerGone(QStringLiteral("worker %1 has no readable key for its output").arg(name));
    m_client = std::make_unique<net::RequestClient>(m_cluster.zk.loop(), *endpoint,
                                                    net::SharedKey{m_worker, access->key}, OutputReply::MaxSize);
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
