#include "app/doctor/trust_checks.h"

#include "app/cluster/schedule_trouble.h"
#include "app/environment/directories.h"
#include "app/environment/local_trust.h"
#include "jobs/cluster/root_rotation.h"
#include "text/quantity.h"
#include "zk/client/connect_string.h"
#include "zk/error.h"

#include <QHostAddress>

namespace drover::app {

using Level = Finding::Level;

namespace {

Finding aboutOwn(const trust::Credentials &credentials, const trust::TrustStore &known)
{
    const trust::Certificate own = credentials.ownCertificate();
    const QString subject = QStringLiteral("you");
    if (known.revocations().serials.contains(own.serial))
        return {Level::Problem, subject, QStringLiteral("your certificate, of %1, is revoked").arg(own.name),
                QStringLiteral("ask an administrator for a new file, and drover login it")};
    return {Level::Ok, subject, QStringLiteral("%1: %2").arg(own.name, trust::rolesText(own.roles))};
}

async::Task<void> checkSigners(jobs::Cluster cluster, const trust::TrustStore &known, Findings &findings)
{
    const std::vector<jobs::StoredSchedule> schedules = co_await jobs::listSchedules(cluster);
    for (const jobs::StoredSchedule &stored : schedules) {
        const QString why = refusalOfJobs(stored, known, cluster.zk.loop().wallClock());
        const QString name = QString::fromUtf8(stored.name);
        if (!why.isEmpty())
            findings.append(
                {Level::Problem, QStringLiteral("schedule ") + name,
                 QStringLiteral("workers refuse each of its jobs: %1").arg(why),
                 QStringLiteral(
                     "let a person with the roles submit and operate add it again (drover cron add --replace), or "
                     "remove it: drover cron rm %1")
                     .arg(name)});
    }
}

} // namespace

bool isLoopback(const QString &endpoint)
{
    return !endpoint.isEmpty() && serversElsewhere(endpoint).isEmpty();
}

QStringList serversElsewhere(const QString &servers)
{
    QStringList elsewhere;
    try {
        for (const zk::ServerAddress &server : zk::parseConnectString(servers)) {
            if (server.host != u"localhost" && !QHostAddress(server.host).isLoopback())
                elsewhere << server.toString();
        }
    } catch (const zk::InvalidConnectString &) {
        return {servers}; // another program's text
    }
    return elsewhere;
}

Findings aboutCertificates(const std::vector<jobs::PublishedCertificate> &published, const trust::TrustStore &known,
                           std::chrono::seconds now)
{
    QStringList lasting; // those who have a valid one for longer
    for (const jobs::PublishedCertificate &one : published) {
        if (one.certificate && !known.revocations().serials.contains(one.serial)
            && (one.certificate->notAfter.count() == 0 || one.certificate->notAfter > now + EndsSoon))
            lasting.append(one.certificate->name);
    }
    Findings findings;
    for (const jobs::PublishedCertificate &one : published) {
        if (!one.certificate) {
            findings.append({Level::Warning, QStringLiteral("certificate ") + QString::fromLatin1(one.serial),
                             one.untrusted, QStringLiteral("another program has written there: delete that node")});
            continue;
        }
        const std::chrono::seconds left = one.certificate->notAfter - now;
        const bool endsSoon = one.certificate->notAfter.count() > 0 && left.count() > 0 && left <= EndsSoon;
        const bool hasEnded = one.certificate->notAfter.count() > 0 && left.count() <= 0 && -left <= EndsSoon;
        if ((endsSoon || hasEnded) && !known.revocations().serials.contains(one.serial)
            && !lasting.contains(one.certificate->name))
            findings.append({Level::Warning, QStringLiteral("certificate of ") + one.certificate->name,
                             hasEnded
                                 ? QStringLiteral("it has ended: workers run no job of it, and no worker joins by it")
                                 : QStringLiteral("it ends in %1").arg(text::formatDuration(left)),
                             QStringLiteral("make a new file (drover user add, drover worker add), and log in there "
                                            "with it")});
    }
    return findings;
}

async::Task<std::optional<QStringList>> othersWhoSubmit(jobs::Cluster cluster,
                                                        std::shared_ptr<const trust::Credentials> credentials)
{
    if (!credentials)
        co_return std::nullopt;
    trust::TrustStore known(credentials->anchors);
    std::vector<jobs::PublishedCertificate> published;
    try {
        co_await jobs::readRevocations(cluster, known);
        published = co_await jobs::readCertificates(cluster, known);
    } catch (const trust::Untrusted &) {
        co_return std::nullopt;
    } catch (const zk::AccessDenied &) {
        co_return std::nullopt;
    }
    const QStringList ours{credentials->ownCertificate().name, QLatin1StringView(JobsOfUp)};
    QStringList others;
    for (const jobs::PublishedCertificate &one : published) {
        const bool submits = one.certificate && one.certificate->roles.contains(trust::Role::Submit)
            && !known.revocations().serials.contains(one.serial);
        if (submits && !ours.contains(one.certificate->name) && !others.contains(one.certificate->name))
            others.append(one.certificate->name);
    }
    co_return others;
}

async::Task<bool> isForThisUserAlone(jobs::Cluster cluster, std::shared_ptr<const trust::Credentials> credentials,
                                     QString servers)
{
    if (!serversElsewhere(servers).isEmpty())
        co_return false;
    const std::optional<QStringList> others = co_await othersWhoSubmit(std::move(cluster), std::move(credentials));
    co_return others && others->isEmpty();
}

async::Task<void> checkJobsOfOthers(jobs::Cluster cluster, std::shared_ptr<const trust::Credentials> credentials,
                                    QString file, Findings &findings)
{
    if (!credentials || file != localCredentialsFile(cluster.layout.clusterName()))
        co_return;
    const std::optional<QStringList> others = co_await othersWhoSubmit(cluster, credentials);
    if (!others || others->isEmpty())
        co_return;
    findings.append({Level::Warning, QStringLiteral("jobs of others"),
                     QStringLiteral("%1 may submit, and such jobs run as this user: they can read this user's files, "
                                    "also the root key and the credentials in %2")
                         .arg(others->join(QStringLiteral(", ")), trustDirectory()),
                     QStringLiteral("for other people make a cluster whose workers run as a user of their own: "
                                    "drover cluster init, drover worker add; or take them out: drover user rm NAME")});
}

async::Task<void> checkTrust(jobs::Cluster cluster, std::shared_ptr<const trust::Credentials> credentials,
                             QString servers, Findings &findings)
{
    if (!credentials)
        co_return;
    trust::TrustStore known(credentials->anchors);
    try {
        co_await jobs::readRevocations(cluster, known);
    } catch (const trust::Untrusted &error) {
        findings.append({Level::Problem, QStringLiteral("revocation list"), QString::fromUtf8(error.what()),
                         QStringLiteral("an administrator publishes it again: drover user rm, without a name")});
    }
    findings.append(aboutOwn(*credentials, known));
    const std::vector<jobs::PublishedCertificate> published = co_await jobs::readCertificates(cluster, known);
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(cluster.zk.loop().wallClock());
    findings += aboutCertificates(published, known, now);
    co_await checkSigners(cluster, known, findings);
    const std::optional<jobs::RootRotation> rotation = co_await jobs::presentRotation(cluster);
    if (rotation)
        findings.append(
            {Level::Warning, QStringLiteral("root key"),
             QStringLiteral("%1 is replacing it and the passwords: the old ones are valid as well").arg(rotation->by),
             QStringLiteral("end it: drover key rotate --root --finish, or --abandon")});
    const QStringList elsewhere = serversElsewhere(servers);
    if (!elsewhere.isEmpty())
        findings.append({Level::Warning, QStringLiteral("passwords"),
                         QStringLiteral("they cross the network to %1 in clear text, unless it is encrypted")
                             .arg(elsewhere.join(u',')),
                         QStringLiteral("connect through a tunnel of this machine (stunnel), or use an encrypted "
                                        "network (WireGuard)")});
}

} // namespace drover::app
