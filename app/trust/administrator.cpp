#include "app/trust/administrator.h"

#include "app/environment/or_denied.h"
#include "app/trust/key_files.h"
#include "recipes/blocks/persistent.h"
#include "text/clock_difference.h"
#include "zk/server_clock.h"

namespace drover::app {

namespace {

// A need of less than the role admin lets others pass: key rotate with --root-key.
std::shared_ptr<const trust::Credentials> administratorsCredentials(const Context &context)
{
    context.requireRole();
    std::shared_ptr<const trust::Credentials> credentials = requireCredentials(context);
    const trust::Certificate certificate = credentials->ownCertificate();
    if (!certificate.roles.contains(trust::Role::Admin))
        throw CommandError(
            ExitDenied,
            QStringLiteral("%1 must be an administrator of this cluster; name an administrator's file with "
                           "--credentials")
                .arg(certificate.name));
    return credentials;
}

trust::Issuer administratorsIssuer(const Context &context)
{
    const std::shared_ptr<const trust::Credentials> credentials = administratorsCredentials(context);
    return orDenied([&] { return trust::Issuer(readRootKey(context.arguments()), *credentials); });
}

} // namespace

std::shared_ptr<const trust::Credentials> requireCredentials(const Context &context)
{
    const std::shared_ptr<const trust::Credentials> credentials = context.credentials();
    if (!credentials)
        throw CommandError(ExitWrongState,
                           QStringLiteral("you have no credentials for cluster %1; log in with the file that an "
                                          "administrator gave you (drover login FILE), or close an open cluster "
                                          "(drover cluster secure)")
                               .arg(QString::fromLatin1(context.settings().cluster)));
    return credentials;
}

async::Task<Administrator> Administrator::of(Context &context)
{
    administratorsIssuer(context); // before ZooKeeper is asked
    const jobs::Cluster cluster = co_await context.openCluster();
    co_await requireRightClock(context.loop(), cluster);
    trust::Issuer issuer = administratorsIssuer(context); // the root key may have been replaced meanwhile
    const QByteArray clusterId = issuer.anchors().clusterId;
    co_return Administrator{std::move(issuer), cluster, RevocationList(rootKeyFile(context.arguments()), clusterId)};
}

QString clockTrouble(async::Loop &loop, std::chrono::milliseconds sent, std::chrono::milliseconds stamped)
{
    zk::ServerClock clock(loop);
    clock.measured(sent, loop.wallClock(), stamped);
    const std::chrono::milliseconds ahead = clock.ahead();
    if (std::chrono::abs(ahead) <= MostClockError)
        return {};
    return QStringLiteral("this machine's clock is %1, and certificates would have wrong dates; set it right first")
        .arg(text::clockDifference(ahead));
}

async::Task<void> requireRightClock(async::Loop &loop, jobs::Cluster cluster)
{
    const zk::Path path = cluster.layout.certificates();
    co_await cluster.zk.ensurePath(path);
    const std::chrono::milliseconds sent = loop.wallClock();
    const zk::Answer<zk::Stat> written = co_await recipes::Persistent(cluster.zk).set(path, QByteArray());
    const QString trouble = clockTrouble(loop, sent, std::chrono::milliseconds(written->mtime));
    if (!trouble.isEmpty())
        throw CommandError(ExitWrongState, trouble);
}

} // namespace drover::app
