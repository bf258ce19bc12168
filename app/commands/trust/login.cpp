#include "app/cli/failure.h"
#include "app/cli/sentence.h"
#include "app/commands/commands.h"
#include "app/trust/grant_options.h"
#include "app/trust/key_files.h"

#include <unistd.h>

namespace drover::app {

namespace {

// A certificate of another time would be refused at the first command, with less to go by.
void requireValid(const trust::Certificate &certificate, std::chrono::milliseconds now)
{
    try {
        trust::TrustStore(trust::Anchors{})
            .require(certificate, certificate.roles, std::chrono::duration_cast<std::chrono::seconds>(now));
    } catch (const trust::Untrusted &error) {
        throw CommandError(ExitDenied,
                           QStringLiteral("%1; ask an administrator for a new file (drover user add), or set this "
                                          "machine's clock right")
                               .arg(QString::fromUtf8(error.what())));
    }
}

async::Task<int> execute(Context &context)
{
    const bool isForMachine = context.arguments().has("system");
    if (isForMachine && ::geteuid() != 0)
        throw CommandError(ExitDenied, QStringLiteral("--system needs root: it writes below /etc/drover"));
    const trust::Credentials credentials = readCredentials(context.arguments().at(0));
    const trust::Certificate certificate = credentials.ownCertificate();
    requireValid(certificate, context.loop().wallClock());
    const QString path = logIn(credentials, isForMachine);
    if (context.out().isTable()) {
        printSentence(context.out(),
                      QStringLiteral("%1 in cluster %2: %3, %4")
                          .arg(certificate.name, QString::fromUtf8(credentials.cluster),
                               trust::rolesText(certificate.roles), endText(certificate)));
    } else {
        QJsonObject about = certificateJson(certificate);
        about[QStringLiteral("file")] = path;
        context.out().object({}, about);
    }
    Output::hint(QStringLiteral("kept in %1; delete %2 now").arg(path, context.arguments().at(0)));
    co_return ExitOk;
}

} // namespace

Command login()
{
    return {.name = "login",
            .synopsis = "[OPTIONS] FILE",
            .summary = "Keep a credentials file, so that commands and workers use it",
            .details = "It goes to ~/.config/drover/credentials/CLUSTER, with --system to "
                       "/etc/drover/credentials/CLUSTER, in the place of an earlier one. Nothing is sent.",
            .options = {option("system", "for this machine's workers that root starts, not only for you")},
            .takes = {{CompletionKind::File}},
            .examples = {"drover login alice.drover", "drover login --system build-7.drover"},
            .exits = {{"5", "the file is not safe, damaged, or its certificate is over"}},
            .run = execute};
}

} // namespace drover::app
