#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/completion/shell_scripts.h"
#include "app/environment/context.h"

namespace drover::app {

namespace {

async::Task<int> printScript(Context &context)
{
    const QString shell = context.arguments().at(0);
    const QByteArray script = completionScript(shell);
    if (script.isEmpty())
        throw UsageError(QStringLiteral("drover completion: there is no script for \"%1\"; give one of %2")
                             .arg(shell, completionShells().join(QStringLiteral(", "))));
    context.out().bytes(script);
    co_return ExitOk;
}

} // namespace

Command completion()
{
    return {.name = "completion",
            .synopsis = "[OPTIONS] bash|fish|zsh",
            .summary = "Print a script that completes commands, options, ids and names in a shell",
            .details =
                "For bash, in ~/.bashrc:\n"
                "    eval \"$(drover completion bash)\"\n"
                "For fish, once:\n"
                "    drover completion fish > ~/.config/fish/completions/drover.fish\n"
                "For zsh, in ~/.zshrc:\n"
                "    source <(drover completion zsh)\n"
                "Ids and names are those of the cluster that the line is about; nothing is offered when it does\n"
                "not answer within a second.",
            .takes = {{CompletionKind::Shell}},
            .examples = {"drover completion bash"},
            .run = printScript};
}

} // namespace drover::app
