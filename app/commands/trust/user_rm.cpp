#include "app/cli/failure.h"
#include "app/cli/sentence.h"
#include "app/commands/commands.h"
#include "app/trust/administrator.h"
#include "app/trust/key_files.h"

namespace drover::app {

namespace {

using Certificates = std::vector<trust::Certificate>;

// The certificates of that name which are not revoked yet; with --serial that one alone. If the published list cannot
// be believed, what is kept says who is revoked.
async::Task<Certificates> chosen(Context &context, const Administrator &administrator)
{
    const QString name = context.arguments().at(0);
    const QByteArray serial = context.arguments().value("serial").toUtf8();
    trust::TrustStore known = administrator.known();
    try {
        co_await jobs::readRevocations(administrator.cluster, known);
    } catch (const trust::Untrusted &error) {
        Output::message(QStringLiteral("%1; it is published again").arg(QString::fromUtf8(error.what())));
    }
    const std::vector<jobs::PublishedCertificate> published =
        co_await jobs::readCertificates(administrator.cluster, known);
    Certificates found;
    for (const jobs::PublishedCertificate &one : published) {
        const bool isMeant = one.certificate && one.certificate->name == name
            && (serial.isEmpty() || one.serial == serial) && !known.revocations().serials.contains(one.serial);
        if (isMeant)
            found.push_back(*one.certificate);
    }
    if (found.empty())
        throw CommandError(ExitNotFound,
                           QStringLiteral("%1 has no certificate that is not revoked; drover user ls lists them, and "
                                          "drover user rm without a name publishes the list again")
                               .arg(name));
    co_return found;
}

async::Task<trust::Revocations> publish(const Administrator &administrator, std::set<QByteArray> serials,
                                        const jobs::AuditNote &note)
{
    const RevocationList::Mended mended =
        co_await administrator.revocations.mend(administrator.cluster, administrator.issuer, std::move(serials), note);
    if (mended.isFromNothing)
        Output::message(
            QStringLiteral("no earlier revocation list was found, in the cluster or beside the root key: who "
                           "was revoked before is to be revoked again (drover user ls)"));
    co_return mended.list;
}

// Revoked certificates stay so, and the published list says it again.
async::Task<int> mend(Context &context)
{
    if (context.arguments().has("serial"))
        throw UsageError(QStringLiteral("NAME is missing: whose certificate is it?"));
    const Administrator administrator = co_await Administrator::of(context);
    const jobs::AuditNote note(administrator.cluster, jobs::AuditAction::RevocationsPublished,
                               QStringLiteral("cluster"));
    const std::set<QByteArray> nobody;
    const trust::Revocations list = co_await publish(administrator, nobody, note);
    if (context.out().isTable())
        printSentence(context.out(),
                      QStringLiteral("the revocation list is published; it has number %1 and names %2 certificates")
                          .arg(list.number)
                          .arg(list.serials.size()));
    else
        context.out().object(
            {}, {{QStringLiteral("number"), list.number}, {QStringLiteral("revoked"), int(list.serials.size())}});
    co_return ExitOk;
}

async::Task<int> revokeUser(Context &context)
{
    const QString name = context.arguments().at(0);
    if (!trust::isHolderName(name))
        throw UsageError(
            QStringLiteral("\"%1\" cannot be a name: %2").arg(name, QLatin1StringView(trust::HolderNameRule)));
    const Administrator administrator = co_await Administrator::of(context);
    trust::Roles roles;
    std::set<QByteArray> serials;
    const Certificates certificates = co_await chosen(context, administrator);
    for (const trust::Certificate &certificate : certificates) {
        roles.insert(certificate.roles.begin(), certificate.roles.end());
        serials.insert(certificate.serial);
    }
    const jobs::AuditNote note(administrator.cluster, jobs::AuditAction::UserRemoved, name, rolesText(roles));
    co_await publish(administrator, serials, note);
    if (context.out().isTable())
        printSentence(context.out(), QStringLiteral("%1 is revoked: workers refuse what %1 signs").arg(name));
    else
        context.out().object({}, {{QStringLiteral("name"), name}, {QStringLiteral("revoked"), int(serials.size())}});
    Output::message(QStringLiteral("%1 still knows the ZooKeeper password of %2, so can read and change what that role "
                                   "may in the tree")
                        .arg(name, trust::rolesText(roles)));
    co_return ExitOk;
}

async::Task<int> execute(Context &context)
{
    if (context.arguments().positional().isEmpty())
        co_return co_await mend(context);
    co_return co_await revokeUser(context);
}

} // namespace

Command userRm()
{
    return {.name = "user rm",
            .synopsis = "[OPTIONS] [NAME]",
            .summary = "Revoke the certificates of a person or a machine",
            .details = "Their serials go to the revocation list, which the root key signs. Workers then refuse jobs "
                       "that were signed with them, also waiting ones. The passwords of the roles are shared, so they "
                       "still open the tree. The list is also kept beside the root key, in FILE.revocations. Without "
                       "NAME it revokes no one, and publishes the list again: with all that the published one or a "
                       "kept one names. Do so if drover doctor finds it missing, or a worker's log calls it older.",
            .options = {option("serial", "only this certificate of several", "SERIAL"), rootKeyOption()},
            .takes = {{CompletionKind::None}},
            .argumentCount = {0, 1},
            .needs = {{trust::Role::Admin}},
            .check = "drover user ls",
            .examples = {"drover user rm alice", "drover user rm"},
            .exits = {{"3", "there is no such certificate, or no root key file"},
                      {"4", "the cluster is open"},
                      {"5", "the root key or the credentials are not an administrator's, or are not safe"}},
            .run = execute};
}

} // namespace drover::app
