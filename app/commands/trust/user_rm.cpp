#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/trust/administrator.h"
#include "app/trust/grant_options.h"
#include "app/trust/key_files.h"

namespace drover::app {

namespace {

using Certificates = std::vector<trust::Certificate>;

// The certificates of that name which are not revoked yet; with --serial that one alone.
async::Task<Certificates> chosen(Context &context, jobs::Cluster cluster, const trust::Issuer &issuer)
{
    const QString name = context.arguments().at(0);
    const QByteArray serial = context.arguments().value("serial").toUtf8();
    trust::TrustStore known(issuer.anchors());
    co_await jobs::readRevocations(cluster, known);
    const std::vector<jobs::PublishedCertificate> published = co_await jobs::readCertificates(cluster, known);
    Certificates found;
    for (const jobs::PublishedCertificate &one : published) {
        const bool isMeant = one.certificate && one.certificate->name == name
            && (serial.isEmpty() || one.serial == serial) && !known.revocations().serials.contains(one.serial);
        if (isMeant)
            found.push_back(*one.certificate);
    }
    if (found.empty())
        throw CommandError(
            ExitNotFound,
            QStringLiteral("%1 has no certificate that is not revoked; drover user ls lists them").arg(name));
    co_return found;
}

async::Task<int> execute(Context &context)
{
    const QString name = context.arguments().at(0);
    if (!trust::isHolderName(name))
        throw UsageError(
            QStringLiteral("\"%1\" cannot be a name: %2").arg(name, QLatin1StringView(trust::HolderNameRule)));
    const Administrator administrator = co_await Administrator::of(context);
    trust::Roles roles;
    std::set<QByteArray> serials;
    try {
        const Certificates certificates = co_await chosen(context, administrator.cluster, administrator.issuer);
        for (const trust::Certificate &certificate : certificates) {
            roles.insert(certificate.roles.begin(), certificate.roles.end());
            serials.insert(certificate.serial);
        }
        const jobs::AuditNote note(administrator.cluster, jobs::AuditAction::UserRemoved, name, rolesText(roles));
        co_await jobs::revoke(administrator.cluster, administrator.issuer, serials, note);
    } catch (const trust::Untrusted &error) {
        throw CommandError(ExitDenied, QString::fromUtf8(error.what()));
    }
    if (context.out().isTable())
        context.out().line(QStringLiteral("%1 is revoked: workers refuse what %1 signs").arg(name));
    else
        context.out().object({}, {{QStringLiteral("name"), name}, {QStringLiteral("revoked"), int(serials.size())}});
    Output::message(QStringLiteral("%1 still knows the ZooKeeper password of %2, so can read and change what that role "
                                   "may in the tree")
                        .arg(name, trust::rolesText(roles)));
    co_return ExitOk;
}

} // namespace

Command userRm()
{
    return {.name = "user rm",
            .synopsis = "[OPTIONS] NAME",
            .summary = "Revoke the certificates of a person or a machine",
            .details = "Their serials go to the revocation list, which the root key signs. Workers then refuse jobs "
                       "that were signed with them, also waiting ones. The passwords of the roles are shared, so they "
                       "still open the tree.",
            .options = {option("serial", "only this certificate of several", "SERIAL"), rootKeyOption()},
            .takes = {{CompletionKind::None}},
            .argumentCount = {1, 1},
            .needs = {{trust::Role::Admin}},
            .check = "drover user ls",
            .examples = {"drover user rm alice"},
            .exits = {{"3", "there is no such certificate, or no root key file"},
                      {"4", "the cluster is open"},
                      {"5", "the root key or the credentials are not an administrator's, or are not safe"}},
            .run = execute};
}

} // namespace drover::app
