#include "app/command_line.h"

#include "app/failure.h"
#include "app/registry.h"
#include "app/typed_text.h"

#include <QRegularExpression>

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

// What is left of `arguments` from the first that is no option of the whole program; nothing if another option comes
// first.
std::optional<QStringList> fromFirstWord(const QStringList &arguments)
{
    const Parser parser = newParser({}, true);
    if (!parser->parse(arguments))
        return std::nullopt;
    return parser->positionalArguments();
}

// `words` may be the two of a name, or one and something that belongs to it.
UsageError unknownCommand(const QStringList &words)
{
    const QStringList seconds = secondWords(words[0]);
    if (!seconds.isEmpty())
        return UsageError(
            words.size() == 1
                ? QStringLiteral("drover %1 needs one more word: %2").arg(words[0], seconds.join(QStringLiteral(", ")))
                : QStringLiteral("there is no \"drover %1 %2\"; there is drover %1 %3")
                      .arg(words[0], words[1], seconds.join(QStringLiteral(", "))));
    QString name = words.mid(0, 2).join(u' ');
    QStringList nearest = nearestCommands(name);
    if (nearest.isEmpty()) {
        name = words[0];
        nearest = nearestCommands(name);
    }
    const QString advice = nearest.isEmpty()
        ? QStringLiteral("drover help lists the commands")
        : QStringLiteral("did you mean %1?").arg(nearest.join(QStringLiteral(", ")));
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
    if (!namesOf(command.verbs).contains(name))
        throw UsageError(
            QStringLiteral("%1: \"%2\" is none of %3; usage: %1 %4")
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
                                                  : words.size() < (dashes < 0 ? command.minArguments : 1);
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
            throw UsageError(QStringLiteral("argument %1 is not UTF-8: no text, which a cluster can keep").arg(i));
    }
}

// Where no number can be negative, -5 looks like an option that nobody knows.
void refuseNumber(const QStringList &arguments, const QStringList &unknown, const QString &called,
                  const Command &command)
{
    for (const QString &argument : arguments) {
        if (negativeNumber().match(argument).hasMatch() && unknown.contains(argument.mid(1, 1)))
            throw UsageError(QStringLiteral("%1: %2 is no number that is possible here; usage: %1 %3")
                                 .arg(called, argument, QLatin1String(command.synopsis)));
    }
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

} // namespace

QList<QCommandLineOption> globalOptions()
{
    return {
        option("connect", "ZooKeeper servers, e.g. zk1:2181,zk2:2181 (or DROVER_CONNECT)", "SERVERS"),
        option("cluster", "cluster to use (or DROVER_CLUSTER; default: default)", "CLUSTER"),
        option("config", "configuration file instead of the user's and the system's", "FILE"),
        option("history", "where finished jobs are kept: a file, postgresql://..., or none (or DROVER_HISTORY)",
               "PLACE"),
        option("connect-timeout", "give up when no server answers for so long (default: 5s)", "DURATION"),
        option("o output", "form of the data (default: table)", "table|json|jsonl"),
        option("h help", "show help"),
        option("version", "show the version"),
    };
}

CommandLine CommandLine::parse(const QStringList &arguments)
{
    const std::optional<QStringList> words = fromFirstWord(arguments);
    if (!words) {
        const Parser parser = newParser({}, true);
        parser->parse(arguments);
        throw UsageError(parser->errorText() + QStringLiteral(" drover help lists the options"));
    }
    const QStringList before = arguments.mid(0, arguments.size() - words->size());
    const Parser leading = newParser({}, true);
    leading->parse(before);
    if (leading->isSet(QStringLiteral("version")))
        return {.kind = Kind::Version};
    if (words->isEmpty())
        return {};
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
    CommandLine line;
    line.kind = Kind::Command;
    line.command = commandOf(name, used);

    const QString called = QStringLiteral("drover ") + QLatin1String(line.command->name);
    const Parser parser = newParser(line.command->options, line.command->runsProgram);
    const bool parsed = parser->parse(withName(*line.command, withNumber(*line.command, before + rest)));
    if (parser->isSet(QStringLiteral("help")))
        return {.kind = Kind::Help, .command = line.command};
    if (!parsed)
        refuseNumber(rest, parser->unknownOptionNames(), called, *line.command);
    if (!parsed)
        throw UsageError(QStringLiteral("%1: %2 Try %1 --help").arg(called, parser->errorText()));
    const qsizetype count = parser->positionalArguments().size();
    if (count < line.command->minArguments || count > line.command->maxArguments)
        throw UsageError(QStringLiteral("%1: too %2 arguments; usage: %1 %3")
                             .arg(called,
                                  count < line.command->minArguments ? QStringLiteral("few") : QStringLiteral("many"),
                                  QLatin1String(line.command->synopsis)));
    requireText(arguments,
                line.command->runsHereFrom < 0 ? QStringList()
                                               : parser->positionalArguments().mid(line.command->runsHereFrom));
    if (!line.command->verbs.isEmpty())
        checkVerb(*line.command, *parser, called);
    line.arguments.emplace(parser);
    return line;
}

} // namespace drover::app
