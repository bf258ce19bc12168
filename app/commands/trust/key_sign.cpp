#include "app/cli/failure.h"
#include "app/cli/sentence.h"
#include "app/commands/commands.h"
#include "app/trust/administrator.h"
#include "app/trust/grant_options.h"
#include "app/trust/key_files.h"
#include "app/trust/new_key.h"

namespace drover::app {

namespace {

async::Task<int> execute(Context &context)
{
    const Administrator administrator = co_await Administrator::of(context);
    const KeyRequest request =
        co_await readRequest(administrator.cluster, administrator.known(), context.arguments().at(0).toLatin1());
    const QByteArray line = co_await certify(administrator, request);
    if (context.arguments().has("revoke-old"))
        co_await revokeOld(administrator.cluster, administrator, request.holder);
    const trust::Certificate certificate = trust::TrustStore(administrator.issuer.anchors()).add(line);
    if (context.out().isTable())
        printSentence(
            context.out(),
            QStringLiteral("%1 has a certificate for a new key, %2").arg(certificate.name, endText(certificate)),
            QStringLiteral("%1 runs drover key rotate again").arg(certificate.name));
    else
        context.out().object({}, certificateJson(certificate));
    co_return ExitOk;
}

} // namespace

Command keySign()
{
    return {.name = "key sign",
            .synopsis = "[OPTIONS] REQUEST",
            .summary = "Sign the new key that its holder asks for",
            .details = "REQUEST is what drover key rotate has printed for a holder without the root key. It is signed "
                       "with the old key, so it may travel openly; the new certificate allows what the old one does, "
                       "for as long.",
            .options = {option("revoke-old", "the old key ends at once, and jobs that wait with its signature"),
                        rootKeyOption()},
            .takes = {{CompletionKind::None}},
            .needs = {{trust::Role::Admin}},
            .check = "drover user ls",
            .examples = {"drover key sign REQUEST"},
            .exits = {{"3", "there is no root key file"},
                      {"4", "the cluster is open, or this machine's clock is wrong"},
                      {"5", "the request is refused, or the root key or the credentials are not an administrator's"}},
            .run = execute};
}

} // namespace drover::app
