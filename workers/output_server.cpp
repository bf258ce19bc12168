#include "workers/output_server.h"

#include "jobs/model/json_fields.h"
#include "output/spool_files.h"

namespace drover::workers {

namespace {

std::optional<QByteArray> answer(const QString &spool, const QByteArray &bytes, std::chrono::milliseconds waited)
{
    output::OutputRequest request;
    try {
        request = output::OutputRequest::decode(bytes);
    } catch (const jobs::Malformed &error) {
        throw net::RefusedRequest(QStringLiteral("malformed request: %1").arg(QString::fromUtf8(error.what())));
    }
    const output::SpoolFiles files = output::SpoolFiles::of(spool, request.id, request.attempt);
    const output::OutputReply reply = output::readSpool(files, request);
    if (!reply.isNews() && waited < request.wait)
        return std::nullopt;
    return reply.encode();
}

net::RequestServer::Handler handlerFor(const QString &spool)
{
    return
        [spool](const QByteArray &request, std::chrono::milliseconds waited) { return answer(spool, request, waited); };
}

} // namespace

OutputServer::OutputServer(const QHostAddress &address, quint16 port, const QString &spool)
    : m_server(address, port, handlerFor(spool))
{
}

OutputServer::OutputServer(const QHostAddress &address, quint16 port, const QString &spool,
                           const net::RequestServer::Limits &limits)
    : m_server(address, port, handlerFor(spool), limits)
{
}

} // namespace drover::workers
