#pragma once

#include "app/value_kind.h"
#include "async/task.h"

#include <QCommandLineOption>
#include <QList>
#include <QString>

namespace drover::app {

class Arguments;
class Context;

// One of the words that say what a command is to do.
struct Verb {
    QString name;
    QStringList options{}; // of the command's, those that are for this verb
    const char *check = nullptr; // as Command::check
};

// One command of the program: what its help says, what it accepts, what it does.
struct Command {
    static constexpr int Unlimited = 1 << 20;

    const char *name; // one word or two: "worker ls"
    const char *synopsis; // what follows the name in the usage line
    const char *summary; // one line
    const char *details = ""; // more for --help
    QList<QCommandLineOption> options{};
    // One of which is the second argument; none: anything may be. An option that is for some verbs is refused with the
    // others; one that is for none of them is for all.
    QList<Verb> verbs{};
    // What its arguments are, for the shell's completion: the last goes for all that follow; several: any of them. What
    // is at the place of a verb is not looked at.
    QList<QList<ValueKind>> takes{};
    int minArguments = 0;
    int maxArguments = 0;
    int runsHereFrom = -1; // from this argument on it is a command that we run ourselves: its bytes need be no text
    bool takesNumber = false; // the last argument; it may be negative: -5 is no option
    // Options end at the first argument, so that what follows belongs to the program to be run: drover run ls -l
    bool runsProgram = false;

    // What changes something names the command that shows whether it was carried out, for when ZooKeeper is lost before
    // the answer: "drover counter %1 get", where %1 is the first argument. None: a failed run may be repeated.
    const char *check = nullptr;

    // The exit code; exceptions go through explain(). Destroying the task cancels the command: it leaves no znode.
    async::Task<int> (*run)(Context &context);
};

// The check of this command, or of its verb, for these arguments. Empty: none.
QString checkOf(const Command &command, const Arguments &arguments);

} // namespace drover::app
