#include "output/remote_output.h"

#include "jobs/cluster_key.h"
#include "jobs/records.h"
#include "recipes/persist.h"

namespace drover::output {

using namespace std::chrono_literals;

namespace {

constexpr auto AnswerLimit = 10s; // beyond what a request waits

} // namespace

RemoteOutput::RemoteOutput(zk::Coordinator &zk, jobs::Layout layout, QByteArray worker)
    : m_zk(zk), m_layout(std::move(layout)), m_worker(std::move(worker))
{
}

RemoteOutput::~RemoteOutput() = default;

async::Task<void> RemoteOutput::find()
{
    const QString name = QString::fromUtf8(m_worker);
    const zk::Path path = m_layout.members() / m_worker;
    const auto read = [&] { return m_zk.get(path); };
    const zk::Answer<zk::Node> member = co_await recipes::persist(m_zk, read);
    if (!member.ok())
        throw WorkerGone(QStringLiteral("worker %1 has gone").arg(name));
    std::optional<net::Endpoint> endpoint;
    try {
        endpoint = net::Endpoint::parse(jobs::WorkerInfo::decode(member->data).endpoint);
    } catch (const jobs::Malformed &) {
    }
    if (!endpoint)
        throw WorkerGone(QStringLiteral("worker %1 serves no output (worker --listen)").arg(name));
    const std::optional<QByteArray> key = co_await jobs::clusterKey(m_zk, m_layout);
    if (!key)
        throw WorkerGone(QStringLiteral("cluster %1 has no readable key").arg(QString::fromUtf8(m_layout.cluster())));
    m_client = std::make_unique<net::RequestClient>(m_zk.loop(), *endpoint, net::SharedKey{m_layout.cluster(), *key},
                                                    OutputReply::MaxSize);
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
