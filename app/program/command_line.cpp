#include "app/program/command_line.h"

#include "app/cli/argv_text.h"
#include "app/cli/failure.h"
#include "app/cli/nearest.h"
#include "app/program/foreign_words.h"

#include <QRegularExpression>

#include <algorithm>

namespace drover::app {

namespace {

using Parser = std::shared_ptr<QCommandLineParser>;

Parser newParser(const QList<QCommandLineOption> &options, bool stopAtArgument)
{
    Parser parser = std::make_shared<QCommandLineParser>();
    parser->addOptions(globalOptions());
    parser->addOptions(options);
    if (stopAtArgument)
        parser->setOptionsAfterPositionalArgumentsMode(QCommandLineParser::ParseAsPositionalArguments);
    return parser;
}

// The part of `arguments` from the first word on that is not an option of the whole program. Nothing if another option
// comes first.
std::optional<QStringList> fromFirstWord(const QStringList &arguments)
{
    const Parser parser = newParser({}, true);
    if (!parser->parse(arguments))
        return std::nullopt;
    return parser->positionalArguments();
}

// Describes the error in the options in one sentence, and suggests the options that were probably meant.
QString optionError(const QCommandLineParser &parser, const QList<QCommandLineOption> &options)
{
    const QStringList unknown = parser.unknownOptionNames();
    if (unknown.isEmpty())
        return parser.errorText();
    const auto dashed = [](const QString &name) {
        return (name.size() == 1 ? QStringLiteral("-") : QStringLiteral("--")) + name;
    };
    QStringList names;
    for (const QCommandLineOption &option : options)
        names.append(option.names().last());
    QStringList meant = optionsLike(unknown[0]);
    meant.removeIf([&](const QString &name) { return !names.contains(name); });
    const QString remark = remarkAbout(unknown[0]);
    const bool isOfJobs = names.contains(QStringLiteral("gang"));
    const bool isOfTables = unknown[0] == u"sort" || unknown[0] == u"format";
    if (meant.isEmpty() && !remark.isEmpty() && isOfTables != isOfJobs)
        return QStringLiteral("unknown option %1: %2.").arg(dashed(unknown[0]), remark);
    if (meant.isEmpty() && unknown[0].size() > 1)
        meant = nearest(unknown[0], names);
    std::transform(meant.begin(), meant.end(), meant.begin(), dashed);
    const QString error = QStringLiteral("unknown option %1").arg(dashed(unknown[0]));
    return meant.isEmpty() ? error + u'.'
                           : QStringLiteral("%1; did you mean %2?").arg(error, meant.join(QStringLiteral(", ")));
}

// What to say of "drover FIRST SECOND", which there is not; empty: nothing is like it.
QString insteadOf(const QString &first, const QString &second)
{
    if (QString remark = remarkAboutCommand(first + u' ' + second); !remark.isEmpty())
        return remark;
    const QStringList all = secondWords(first);
    QStringList meant = secondWordsLike(second);
    meant.removeIf([&](const QString &word) { return !all.contains(word); });
    if (meant.isEmpty())
        meant = nearest(second, all);
    for (QString &word : meant)
        word.prepend(QStringLiteral("drover %1 ").arg(first));
    return meant.isEmpty() ? QString() : QStringLiteral("did you mean %1?").arg(meant.join(QStringLiteral(", ")));
}

// `words` may be the two of a name, or one and something that belongs to it.
UsageError unknownCommand(const QStringList &words)
{
    const QStringList seconds = secondWords(words[0]);
    const auto listed = [&](const QStringList &all) { return all.join(QStringLiteral(", ")); };
    if (!seconds.isEmpty() && words.size() == 1)
        return UsageError(QStringLiteral("drover %1 needs one more word: %2").arg(words[0], listed(seconds)));
    if (!seconds.isEmpty()) {
        const QString like = insteadOf(words[0], words[1]);
        const QString all = QStringLiteral("there is drover %1 %2").arg(words[0], listed(seconds));
        return UsageError(
            QStringLiteral("there is no \"drover %1 %2\"; %3").arg(words[0], words[1], like.isEmpty() ? all : like));
    }
    if (hasNoCounterpart(words[0]))
        return UsageError(QStringLiteral("there is no command \"%1\", nor one like it; drover help lists the commands")
                              .arg(words[0]));
    QString name = words.mid(0, 2).join(u' ');
    QStringList meant = nearestCommands(name);
    if (meant.isEmpty() || !commandsLike(words[0]).isEmpty()) {
        name = words[0];
        meant = commandsLike(name);
        if (meant.isEmpty())
            meant = nearestCommands(name);
    }
    const QString advice = meant.isEmpty() ? QStringLiteral("drover help lists the commands")
                                           : QStringLiteral("did you mean %1?").arg(listed(meant));
    return UsageError(QStringLiteral("there is no command \"%1\"; %2").arg(name, advice));
}

// The command that the words name, and how many of them are its name.
const Command *commandOf(const QStringList &words, int &used)
{
    used = 1;
    if (words.size() > 1) {
        if (const Command *command = findCommand(words[0] + u' ' + words[1])) {
            used = 2;
            return command;
        }
    }
    if (const Command *command = findCommand(words[0]))
        return command;
    throw unknownCommand(words);
}

QStringList namesOf(const QList<Verb> &verbs)
{
    QStringList names;
    for (const Verb &verb : verbs)
        names.append(verb.name);
    return names;
}

// The second argument has to be a verb, and the options have to mean something to it.
void checkVerb(const Command &command, const QCommandLineParser &parser, const QString &called)
{
    const QString name = parser.positionalArguments().value(1);
    if (name.isEmpty() && command.argumentCount.least < 2)
        return; // the command has a verb that is usually meant
    if (!namesOf(command.verbs).contains(name))
        throw UsageError(
            QStringLiteral("%1: \"%2\" must be one of %3; usage: %1 %4")
                .arg(called, name, namesOf(command.verbs).join(QStringLiteral(", ")), QLatin1String(command.synopsis)));
    for (const QString &option : parser.optionNames()) {
        QList<Verb> takers = command.verbs;
        takers.removeIf([&](const Verb &verb) { return !verb.options.contains(option); });
        if (!takers.isEmpty() && !namesOf(takers).contains(name))
            throw UsageError(QStringLiteral("%1: --%2 means nothing to %3; it is for %4")
                                 .arg(called, option, name, namesOf(takers).join(QStringLiteral(", "))));
    }
}

// With --path ZNODE the NAME may be left out; then the znode's name stands for it. `arguments` begins with the program.
QStringList withName(const Command &command, QStringList arguments)
{
    const auto isPath = [](const QCommandLineOption &option) {
        return option.names().contains(QStringLiteral("path"));
    };
    if (std::none_of(command.options.begin(), command.options.end(), isPath))
        return arguments;
    const qsizetype dashes = arguments.indexOf(QStringLiteral("--"));
    const Parser parser = newParser(command.options, false);
    parser->parse(arguments.mid(0, dashes)); // all of them if there are no dashes
    const QString path = parser->value(QStringLiteral("path"));
    const QStringList words = parser->positionalArguments();
    const bool missing = !command.verbs.isEmpty() ? namesOf(command.verbs).contains(words.value(0))
                                                  : words.size() < (dashes < 0 ? command.argumentCount.least : 1);
    if (!path.isEmpty() && missing)
        arguments.insert(1, path.section(u'/', -1, -1, QString::SectionSkipEmpty));
    return arguments;
}

const QRegularExpression &negativeNumber()
{
    static const QRegularExpression pattern(QStringLiteral("^-[0-9]+$"));
    return pattern;
}

// Where a number is expected, -5 is one: it goes to the end, behind dashes.
QStringList withNumber(const Command &command, QStringList arguments)
{
    const qsizetype number = command.takesNumber ? arguments.indexOf(negativeNumber()) : -1;
    if (number > 0 && !arguments.contains(QStringLiteral("--")))
        arguments += {QStringLiteral("--"), arguments.takeAt(number)};
    return arguments;
}

// What goes into the cluster, or names something there, is text. `runHere` need not be, and stands at the end.
void requireText(const QStringList &arguments, QStringList runHere)
{
    for (qsizetype i = arguments.size() - 1; i >= 0; --i) {
        if (!isText(arguments[i]) && !runHere.removeOne(arguments[i]))
            throw UsageError(QStringLiteral("argument %1 is not valid UTF-8, so the cluster cannot store it").arg(i));
    }
}

// Of an option with one value the last would count in silence. The help says which ones may be repeated. The options of
// all commands may, and those of a worker: what an alias or a service has set is overridden by a later one.
void refuseRepeated(const Command &command, const QCommandLineParser &parser, const QString &called)
{
    if (QLatin1String(command.name) == u"worker")
        return; // DROVER_WORKER_OPTIONS
    for (const QCommandLineOption &option : command.options) {
        const bool hasValue = !option.valueName().isEmpty();
        if (!hasValue || option.description().contains(u"may be repeated") || parser.values(option).size() < 2)
            continue;
        throw UsageError(QStringLiteral("%1: --%2 is given %3 times, and takes one value")
                             .arg(called, option.names().last(), QString::number(parser.values(option).size())));
    }
}

// Elsewhere -o names the file for the output of a job.
void refuseOtherForm(const Command &command, const QCommandLineParser &parser, const QString &called)
{
    const auto isForFiles = [](const QCommandLineOption &option) {
        return option.names().contains(QStringLiteral("stdout"));
    };
    const QString form = parser.value(QStringLiteral("output"));
    const QStringList forms = QString::fromLatin1(command.forms).split(u'|');
    if (!parser.isSet(QStringLiteral("output")) || forms.contains(form))
        return;
    if (std::any_of(command.options.begin(), command.options.end(), isForFiles))
        throw UsageError(
            QStringLiteral("%1: --output is table, json or jsonl, the form of what drover itself prints; for "
                           "the output of the job say --stdout %2")
                .arg(called, form));
    const QString all = forms.mid(0, forms.size() - 1).join(QStringLiteral(", "));
    throw UsageError(QStringLiteral("--output: \"%1\" must be %2 or %3").arg(form, all, forms.last()));
}

// Where no number can be negative, -5 looks like an unknown option.
void refuseNumber(const QStringList &arguments, const QStringList &unknown, const QString &called,
                  const Command &command)
{
    for (const QString &argument : arguments) {
        if (negativeNumber().match(argument).hasMatch() && unknown.contains(argument.mid(1, 1)))
            throw UsageError(QStringLiteral("%1: %2 is negative, which is not possible here; usage: %1 %3")
                                 .arg(called, argument, QLatin1String(command.synopsis)));
    }
}

// What the command line is about: also what is to be explained, or completed (the last word is still being typed).
QStringList subject(const QStringList &words)
{
    if (words.first() == u"help")
        return words.mid(1);
    if (words.first() != u"complete" || words.value(1) != u"--" || words.size() < 4)
        return words;
    QStringList typed = words.mid(1, words.size() - 2);
    typed[0] = QStringLiteral("drover");
    const QStringList command = fromFirstWord(typed).value_or(QStringList());
    return command.value(0) == u"help" ? command.mid(1) : command;
}

// A word that begins commands of two words, and is no command by itself.
bool isGroup(const QString &word)
{
    return !findCommand(word) && !secondWords(word).isEmpty();
}

bool asksForHelp(const QString &word)
{
    return word == u"--help" || word == u"-h";
}

CommandLine helpFor(const QStringList &words)
{
    CommandLine line;
    int used = 0;
    if (words.size() == 1 && isGroup(words[0]))
        line.group = words[0];
    else if (!words.isEmpty())
        line.command = commandOf(words, used);
    return line;
}

void requireCount(const Command &command, const QString &called, qsizetype count)
{
    if (count >= command.argumentCount.least && count <= command.argumentCount.most)
        return;
    throw UsageError(QStringLiteral("%1: too %2 arguments; usage: %1 %3")
                         .arg(called,
                              count < command.argumentCount.least ? QStringLiteral("few") : QStringLiteral("many"),
                              QLatin1String(command.synopsis)));
}

// What stands behind dashes belongs to a command to run here: none of it is the NAME. `typed` begins with the program.
void requireName(const Command &command, const QStringList &typed, const QString &called)
{
    const qsizetype dashes = typed.indexOf(QStringLiteral("--"));
    if (command.runsHereFrom < 0 || dashes < 0)
        return;
    const Parser parser = newParser(command.options, false);
    parser->parse(typed.mid(0, dashes));
    if (parser->positionalArguments().size() < command.runsHereFrom)
        throw UsageError(QStringLiteral("%1: too few arguments before --; usage: %1 %2")
                             .arg(called, QLatin1String(command.synopsis)));
}

// Reads `typed`, which is the program and what follows the command's name. `all` is the whole command line.
CommandLine readArguments(const Command &command, const QStringList &all, const QStringList &typed)
{
    const QString called = QStringLiteral("drover ") + QLatin1String(command.name);
    const Parser parser = newParser(command.options, command.runsProgram);
    const QStringList named = withName(command, withNumber(command, typed));
    const bool parsed = parser->parse(named);
    if (parser->isSet(QStringLiteral("help")))
        return {.kind = CommandLine::Kind::Help, .command = &command};
    if (!parsed) {
        refuseNumber(typed, parser->unknownOptionNames(), called, command);
        throw UsageError(QStringLiteral("%1: %2 Try %1 --help")
                             .arg(called, optionError(*parser, globalOptions() + command.options)));
    }
    requireName(command, named, called);
    refuseRepeated(command, *parser, called);
    refuseOtherForm(command, *parser, called);
    const QStringList words = parser->positionalArguments();
    requireCount(command, called, words.size());
    requireText(all, command.runsHereFrom < 0 ? QStringList() : words.mid(command.runsHereFrom));
    if (!command.verbs.isEmpty())
        checkVerb(command, *parser, called);
    CommandLine line{.kind = CommandLine::Kind::Command, .command = &command};
    line.arguments.emplace(parser);
    return line;
}

// What to say instead of `error`: "drover worker lss" is read as the command `worker` with an argument, and may have
// been meant as one of its commands of two words. In "drover queue list put" the second word is a name.
UsageError orMisspelt(const Command &command, const QStringList &words, const UsageError &error)
{
    const QString first = QLatin1String(command.name);
    const QStringList seconds = secondWords(first);
    if (words.isEmpty() || seconds.isEmpty() || namesOf(command.verbs).contains(words.value(1)))
        return error;
    QString like = insteadOf(first, words[0]);
    if (like.isEmpty() && command.argumentCount.most == 0)
        like = QStringLiteral("there is drover %1 %2").arg(first, seconds.join(QStringLiteral(", ")));
    if (like.isEmpty())
        return error;
    return UsageError(QStringLiteral("there is no \"drover %1 %2\"; %3").arg(first, words[0], like));
}

// Whether the first argument has to be a job's id, which holds a hyphen, and cannot be one.
bool cannotBeAJob(const Command &command, const QString &argument)
{
    return command.takes.value(0) == QList{CompletionKind::EndedJob} && !argument.isEmpty() && !argument.contains(u'-');
}

} // namespace

CommandLine CommandLine::parse(const QStringList &arguments)
{
    const std::optional<QStringList> words = fromFirstWord(arguments);
    if (!words) {
        const Parser parser = newParser({}, true);
        parser->parse(arguments);
        throw UsageError(optionError(*parser, globalOptions()) + QStringLiteral(" drover help lists the options"));
    }
    const QStringList before = arguments.mid(0, arguments.size() - words->size());
    const Parser leading = newParser({}, true);
    leading->parse(before);
    if (leading->isSet(QStringLiteral("version")))
        return {.kind = Kind::Version};
    if (words->isEmpty() && before.size() > 1 && !leading->isSet(QStringLiteral("help")))
        throw UsageError(QStringLiteral("there is no command after \"%1\"; drover help lists the commands")
                             .arg(before.mid(1).join(u' ')));
    if (words->isEmpty())
        return {};
    if (const CompanionProgram *const companion = findCompanion(subject(*words).value(0)))
        return {.kind = Kind::Companion, .companion = companion};
    if (words->first() == u"help" || leading->isSet(QStringLiteral("help")))
        return helpFor(words->first() == u"help" ? words->mid(1) : *words);
    if (isGroup(words->first()) && asksForHelp(words->value(1)))
        return helpFor(words->mid(0, 1));

    // Options of the whole program may also stand between the two words of a name.
    int used = 0;
    QStringList name = words->mid(0, 1);
    QStringList rest = words->mid(1);
    const std::optional<QStringList> second = fromFirstWord(arguments.mid(0, 1) + rest);
    if (second && !second->isEmpty() && findCommand(name[0] + u' ' + second->first())) {
        name.append(second->first());
        rest.removeAt(rest.size() - second->size());
    } else if (!findCommand(name[0]) && second && !second->isEmpty()) {
        name.append(second->first());
    }
    const Command &command = *commandOf(name, used);
    const QString argument = second ? second->value(name.size() - 1) : QString();
    try {
        CommandLine line = readArguments(command, arguments, before + rest);
        if (line.kind == Kind::Command && cannotBeAJob(command, argument))
            throw UsageError(
                QStringLiteral("\"%1\" is not a job id; an id is a queue and a number: default-42").arg(argument));
        return line;
    } catch (const UsageError &error) {
        throw orMisspelt(command, second ? second->mid(name.size() - 1) : QStringList(), error);
    }
}

} // namespace drover::app
