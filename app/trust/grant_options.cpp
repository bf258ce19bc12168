#include "app/trust/grant_options.h"

#include "app/cli/failure.h"
#include "app/cli/units.h"

#include <QDateTime>
#include <QJsonArray>

namespace drover::app {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

trust::Role roleOf(const QString &name)
{
    const std::optional<trust::Role> role = trust::parseRole(name.toUtf8());
    if (!role)
        throw UsageError(QStringLiteral("--role: \"%1\" must be viewer, submit, operate, worker or admin").arg(name));
    return *role;
}

QJsonArray arrayOf(const QByteArrayList &names)
{
    QJsonArray array;
    for (const QByteArray &name : names)
        array.append(QString::fromUtf8(name));
    return array;
}

} // namespace

QList<QCommandLineOption> grantOptions()
{
    return {option("role", "viewer, submit, operate, worker or admin; may be repeated", "ROLE"),
            option("queue", "only jobs for this queue; may be repeated (default: all)", "QUEUE"),
            option("run-as", "jobs may run as this user of the workers; may be repeated", "USER"),
            option("for", "how long it is valid, e.g. 90d", "DURATION"),
            option("file", "the file to make (default: NAME.drover)", "FILE")};
}

trust::Grant grantOf(const Arguments &arguments, const QString &name, milliseconds now, seconds fallback)
{
    if (!trust::isHolderName(name))
        throw UsageError(
            QStringLiteral("\"%1\" cannot be a name: %2").arg(name, QLatin1StringView(trust::HolderNameRule)));
    trust::Grant grant;
    grant.name = name;
    grant.notBefore = std::chrono::duration_cast<seconds>(now);
    const auto lasts = std::chrono::duration_cast<seconds>(arguments.duration("for", fallback));
    if (arguments.has("for") && lasts.count() <= 0)
        throw UsageError(QStringLiteral("--for: it has to be at least 1s"));
    if (lasts.count() > 0)
        grant.notAfter = grant.notBefore + lasts;
    return grant;
}

void addRights(trust::Grant &grant, const Arguments &arguments)
{
    for (const QString &role : arguments.values("role"))
        grant.roles.insert(roleOf(role));
    for (const QString &queue : arguments.values("queue"))
        grant.queues << parseName(queue, QStringLiteral("--queue"));
    for (const QString &user : arguments.values("run-as")) {
        if (!trust::isHolderName(user))
            throw UsageError(QStringLiteral("--run-as: \"%1\" cannot be the name of a user").arg(user));
        grant.runAs << user;
    }
}

QJsonObject certificateJson(const trust::Certificate &certificate)
{
    QJsonArray roles;
    for (const trust::Role role : certificate.roles)
        roles.append(QString::fromLatin1(trust::roleName(role)));
    QJsonObject json{{QStringLiteral("name"), certificate.name},
                     {QStringLiteral("roles"), roles},
                     {QStringLiteral("queues"), arrayOf(certificate.queues)},
                     {QStringLiteral("run_as_users"), QJsonArray::fromStringList(certificate.runAs)},
                     {QStringLiteral("serial"), QString::fromLatin1(certificate.serial)},
                     {QStringLiteral("valid_from"), formatTime(certificate.notBefore)}};
    if (certificate.notAfter.count() > 0)
        json[QStringLiteral("valid_until")] = formatTime(certificate.notAfter);
    return json;
}

QString certificateState(const trust::Certificate &certificate, const trust::Revocations &revocations,
                         std::chrono::seconds now)
{
    if (revocations.serials.contains(certificate.serial))
        return QStringLiteral("revoked");
    if (certificate.notAfter.count() > 0 && now >= certificate.notAfter)
        return QStringLiteral("expired");
    return now < certificate.notBefore ? QStringLiteral("not yet") : QStringLiteral("valid");
}

QString endText(const trust::Certificate &certificate)
{
    if (certificate.notAfter.count() == 0)
        return QStringLiteral("without end");
    return QStringLiteral("until %1")
        .arg(QDateTime::fromSecsSinceEpoch(certificate.notAfter.count()).toString(Qt::ISODate).left(10));
}

} // namespace drover::app
