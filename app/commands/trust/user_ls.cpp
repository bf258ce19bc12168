#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/trust/administrator.h"
#include "app/trust/grant_options.h"

#include <QDateTime>

#include <algorithm>

namespace drover::app {

namespace {

// Certificates begin and end at whole seconds.
void shortenTimes(QList<QJsonObject> &rows)
{
    for (QJsonObject &row : rows) {
        const QString until = row[u"valid_until"].toString();
        if (!until.isEmpty())
            row[u"valid_until"] = QDateTime::fromString(until, Qt::ISODateWithMs).toString(Qt::ISODate);
    }
}

async::Task<int> execute(Context &context)
{
    const std::shared_ptr<const trust::Credentials> credentials = requireCredentials(context);
    const jobs::Cluster cluster = co_await context.openCluster();
    trust::TrustStore known(credentials->anchors);
    try {
        co_await jobs::readRevocations(cluster, known);
    } catch (const trust::Untrusted &error) {
        throw CommandError(ExitDenied, QString::fromUtf8(error.what()));
    }
    const std::vector<jobs::PublishedCertificate> published = co_await jobs::readCertificates(cluster, known);
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(context.loop().wallClock());
    QList<QJsonObject> rows;
    for (const jobs::PublishedCertificate &one : published) {
        QJsonObject row{{QStringLiteral("serial"), QString::fromLatin1(one.serial)},
                        {QStringLiteral("state"), QStringLiteral("untrusted")}};
        if (one.certificate) {
            row = certificateJson(*one.certificate);
            row[QStringLiteral("state")] = certificateState(*one.certificate, known.revocations(), now);
        } else {
            row[QStringLiteral("trouble")] = one.untrusted;
        }
        rows.append(row);
    }
    std::ranges::stable_sort(
        rows, [](const QJsonObject &a, const QJsonObject &b) { return a[u"name"].toString() < b[u"name"].toString(); });
    if (context.out().isTable())
        shortenTimes(rows);
    context.out().list("users",
                       {{"name", "NAME"},
                        {"roles", "ROLES", Column::Kind::Text, true},
                        {"queues", "QUEUES", Column::Kind::Text, true, 8, 4},
                        {"run_as_users", "RUN AS", Column::Kind::Text, true, 8, 2},
                        {"state", "STATE"},
                        {"valid_until", "UNTIL", Column::Kind::Text, false, 8, 3},
                        {"serial", "SERIAL", Column::Kind::Text, true, 8, 1}},
                       rows);
    co_return ExitOk;
}

} // namespace

Command userLs()
{
    return {.name = "user ls",
            .summary = "List the certificates of people and machines",
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover user ls", "drover user ls -o json"},
            .exits = {{"4", "the cluster is open: it has no users"},
                      {"5", "your credentials do not fit this cluster, or the revocation list is not to be trusted"}},
            .run = execute};
}

} // namespace drover::app
