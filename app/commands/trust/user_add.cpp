#include "app/cli/failure.h"
#include "app/cli/sentence.h"
#include "app/commands/commands.h"
#include "app/environment/directories.h"
#include "app/trust/administrator.h"
#include "app/trust/grant_options.h"
#include "app/trust/key_files.h"

#include <QFile>

namespace drover::app {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds YearOfAUser = 365 * 24h; // without --for; a worker's has no end

// The file exists before the certificate is published, so no published one is lost. It goes again if that fails.
async::Task<void> issue(Context &context, trust::Grant grant)
{
    const QString given = context.arguments().value("file");
    const QString path = given.isEmpty() ? grant.name + QStringLiteral(".drover") : given;
    requireNoFile(path);
    const Administrator administrator = co_await Administrator::of(context);
    const trust::Credentials credentials = administrator.issuer.issue(grant);
    writeNew(path, credentials);
    try {
        const jobs::AuditNote note(administrator.cluster, jobs::AuditAction::UserAdded, grant.name,
                                   rolesText(grant.roles));
        co_await jobs::publishCertificate(administrator.cluster, credentials, note);
    } catch (...) {
        QFile::remove(path);
        throw;
    }
    const trust::Certificate certificate = credentials.ownCertificate();
    QJsonObject about = certificateJson(certificate);
    about[QStringLiteral("file")] = path;
    if (context.out().isTable())
        printSentence(context.out(),
                      QStringLiteral("%1 has credentials for %2, %3")
                          .arg(grant.name, trust::rolesText(grant.roles), endText(certificate)),
                      QStringLiteral("%1 runs drover login %2").arg(grant.name, path));
    else
        context.out().object({}, about);
    Output::hint(QStringLiteral("%1 is a secret: copy it to its owner only, and delete it here").arg(path));
}

async::Task<int> addUser(Context &context)
{
    trust::Grant grant =
        grantOf(context.arguments(), context.arguments().at(0), context.loop().wallClock(), YearOfAUser);
    addRights(grant, context.arguments());
    if (grant.roles.empty())
        throw UsageError(QStringLiteral("--role is missing: what may %1 do? viewer, submit, operate, worker or admin")
                             .arg(grant.name));
    const bool submits = grant.roles.contains(trust::Role::Submit);
    const QString name = grant.name;
    co_await issue(context, std::move(grant));
    if (submits && context.credentialsFile() == localCredentialsFile(context.settings().cluster))
        Output::message(
            QStringLiteral("jobs of %1 will run as you here, and can read your files, the root key included: "
                           "drover doctor says what to do")
                .arg(name));
    co_return ExitOk;
}

async::Task<int> addWorker(Context &context)
{
    trust::Grant grant = grantOf(context.arguments(), context.arguments().at(0), context.loop().wallClock(), 0s);
    grant.roles = {trust::Role::Worker};
    co_await issue(context, grant);
    co_return ExitOk;
}

QList<Command::ExitMeaning> exits()
{
    return {{"3", "there is no root key file"},
            {"4", "the file exists already, the cluster is open, or this machine's clock is wrong"},
            {"5", "the root key or the credentials are not an administrator's, or are not safe"}};
}

} // namespace

Command userAdd()
{
    return {.name = "user add",
            .synopsis = "[OPTIONS] --role ROLE NAME",
            .summary = "Make a credentials file for a person or a program",
            .details = "The file holds a private key, a certificate that the root key signs, and the passwords of the "
                       "roles. There is no other copy: give it to its owner, who runs drover login. It is valid for "
                       "a year unless --for says otherwise. A new file beside an old one replaces nothing: both are "
                       "valid.",
            .options = grantOptions() + QList{rootKeyOption()},
            .takes = {{CompletionKind::None}},
            .needs = {{trust::Role::Admin}},
            .check = "drover user ls",
            .examples = {"drover user add alice --role submit",
                         "drover user add ci --role submit --queue gpu --run-as builder --for 90d"},
            .exits = exits(),
            .run = addUser};
}

Command workerAdd()
{
    return {.name = "worker add",
            .synopsis = "[OPTIONS] NAME",
            .summary = "Make a credentials file for a machine that runs jobs",
            .details = "Copy it there and run drover login; then drover worker joins the cluster. It has no end unless "
                       "--for says otherwise.",
            .options = {option("for", "how long it is valid, e.g. 90d", "DURATION"),
                        option("file", "the file to make (default: NAME.drover)", "FILE"), rootKeyOption()},
            .takes = {{CompletionKind::None}},
            .needs = {{trust::Role::Admin}},
            .check = "drover user ls",
            .examples = {"drover worker add build-7"},
            .exits = exits(),
            .run = addWorker};
}

} // namespace drover::app
