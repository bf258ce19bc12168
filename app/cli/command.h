#pragma once

#include "app/cli/completion_kind.h"
#include "app/cli/need.h"
#include "async/task.h"

#include <QCommandLineOption>
#include <QList>
#include <QString>

namespace drover::app {

class Arguments;
class Context;

// A verb of a command: the word that selects its action.
struct Verb {
    QString name;
    QStringList options{}; // the command's options that apply to this verb
    const char *check = nullptr; // see Command::check
};

// One command of the program: what its help says, what it accepts, what it does.
struct Command {
    static constexpr int Unlimited = 1 << 20;
    static constexpr const char *UsualForms = "table|json|jsonl";

    const char *name; // one word or two: "worker ls"
    const char *synopsis = "[OPTIONS]"; // what follows the name in the usage line
    const char *summary; // one line
    const char *details = ""; // more for --help
    QList<QCommandLineOption> options{};
    // The second argument must be one of these; an empty list allows any. An option that some verbs list is refused
    // with the other verbs; an option that no verb lists applies to all.
    QList<Verb> verbs{};
    // The kinds of its arguments, for the shell's completion. Each entry lists the possible kinds of one argument; the
    // last entry applies to all further arguments. The entry at the place of a verb is ignored.
    QList<QList<CompletionKind>> takes{};
    struct Count {
        int least = 0;
        int most = 0;
    };
    // If it is not set, setCommandGroups() sets it: one argument for each entry of `takes`.
    Count argumentCount{};
    // The index of the first argument that belongs to a command to run here; its bytes need not be text. -1: none.
    int runsHereFrom = -1;
    bool takesCredentialsOfInput = false; // --credentials - : standard input hands them over
    bool takesNumber = false; // the last argument is a number: -5 is not an option
    // Options end at the first argument, because the words after it belong to the program to run: drover run ls -l
    bool runsProgram = false;

    const char *forms = UsualForms; // what -o may say

    // What it asks of its user's certificate in a closed cluster; the first that applies counts. None: nothing, because
    // it stays on this machine, or is for what is outside of clusters.
    QList<Need> needs{};

    // For a command that changes something: the command that shows whether the change was carried out, in case
    // ZooKeeper is lost before the answer. "drover counter %1 get": %1 is the first argument. Null: the user may simply
    // repeat the command.
    const char *check = nullptr;

    // One to three command lines for the help, as one types them. A test parses them.
    QList<const char *> examples{};
    // What exit codes mean that say more here than exit_codes.h: {"3", "there is no such job"}. "N": of what it runs.
    struct ExitMeaning {
        const char *code;
        const char *meaning;
    };
    QList<ExitMeaning> exits{};

    // Runs the command and returns the exit code; exceptions go through explain(). Destroying the task cancels the
    // command, which leaves no znode.
    async::Task<int> (*run)(Context &context);
};

// The check of this command or its verb, with these arguments filled in. Empty if there is none.
QString checkOf(const Command &command, const Arguments &arguments);

} // namespace drover::app
