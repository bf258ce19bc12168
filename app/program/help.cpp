#include "app/program/help.h"

#include "app/cli/terminal.h"
#include "app/commands/registry.h"
#include "app/environment/programs.h"
#include "app/program/command_line.h"
#include "app/program/see_also.h"

#include <algorithm>
#include <array>
#include <limits>

namespace drover::app {

namespace {

constexpr int Width = 80; // columns of every line, unless one word is longer
constexpr int OptionColumn = 32; // where the descriptions begin
constexpr int CommandColumn = 20;
constexpr int ExitColumn = 7;

// Of every command, unless it says more: Command::exits.
constexpr std::array CommonExits{
    Command::ExitMeaning{"0", "success"},
    Command::ExitMeaning{"1", "an error"},
    Command::ExitMeaning{"2", "wrong usage"},
    Command::ExitMeaning{"3", "there is no such cluster, or no such queue"},
    Command::ExitMeaning{"5", "access denied"},
    Command::ExitMeaning{"6", "ZooKeeper does not answer, or the session was lost"},
};

// Choices that are too long for a line go on below the first of them.
QString broken(const QString &left)
{
    const qsizetype bar = left.lastIndexOf(u'|', Width - 1);
    if (left.size() <= Width || bar < 0)
        return left;
    return left.left(bar + 1) + u'\n' + QString(left.lastIndexOf(u' ') + 1, u' ') + left.mid(bar + 1);
}

// `left`, and beside it `right` in a column of its own.
QString entry(const QString &left, const QString &right, int column)
{
    const QString indent(column, u' ');
    const QString begin = left.size() + 2 <= column ? left.leftJustified(column) : broken(left) + u'\n' + indent;
    return begin + wrapped(right, Width - column).join(u'\n' + indent) + u'\n';
}

// The lines of a paragraph flow together. A line that begins with a blank stays as it is, and so does an empty one.
QString flowing(const QString &text)
{
    QString result;
    QString paragraph;
    const auto endParagraph = [&] {
        if (!paragraph.isEmpty())
            result += wrapped(paragraph.simplified(), Width).join(u'\n') + u'\n';
        paragraph.clear();
    };
    for (const QString &line : text.split(u'\n')) {
        if (!line.isEmpty() && !line.startsWith(u' ')) {
            paragraph += line + u' ';
            continue;
        }
        endParagraph();
        result += line + u'\n';
    }
    endParagraph();
    return result;
}

QString usage(const QString &command)
{
    return QStringLiteral("Usage: ") + wrapped(command, Width - 7).join(QStringLiteral("\n       ")) + u'\n';
}

QString optionTable(const char *title, const QList<QCommandLineOption> &options)
{
    if (options.isEmpty())
        return {};
    QString text = QStringLiteral("\n%1:\n").arg(QLatin1String(title));
    for (const QCommandLineOption &option : options) {
        QStringList names;
        for (const QString &name : option.names())
            names.append((name.size() == 1 ? QStringLiteral("-") : QStringLiteral("--")) + name);
        const QString value = option.valueName().isEmpty() ? QString() : u' ' + option.valueName();
        text +=
            entry(QStringLiteral("  ") + names.join(QStringLiteral(", ")) + value, option.description(), OptionColumn);
    }
    return text;
}

QString exampleLines(const Command &command)
{
    QString text;
    for (const char *const example : command.examples)
        text += QStringLiteral("  %1\n").arg(QString::fromUtf8(example));
    return text.isEmpty() ? text : QStringLiteral("\nExamples:\n") + text;
}

QString exitTable(const Command &command)
{
    QString text = QStringLiteral("\nExit codes:\n");
    for (const Command::ExitMeaning &exit : exitMeanings(command))
        text += entry(QStringLiteral("  ") + QLatin1String(exit.code), QString::fromUtf8(exit.meaning), ExitColumn);
    return text;
}

QString roleLine(const Command &command)
{
    return wrapped(QStringLiteral("Role in a closed cluster: ") + needsText(command.needs), Width).join(u'\n') + u'\n';
}

QString commandLine(const char *name, const char *summary)
{
    return entry(QStringLiteral("  ") + QLatin1String(name), QString::fromUtf8(summary), CommandColumn);
}

QString commandTable(const CommandGroup &group)
{
    if (!group.title)
        return {};
    QString text = QStringLiteral("\n%1:\n").arg(QLatin1String(group.title));
    for (const Command &command : group.commands)
        text += commandLine(command.name, command.summary);
    for (const CompanionProgram &companion : group.companions)
        text += commandLine(companion.word, companion.summary);
    return text;
}

bool isOfGroup(const Command &command, const QString &word)
{
    return QString(QLatin1String(command.name)).startsWith(word + u' ');
}

// The commands whose first word this is.
QString groupTable(const QString &word)
{
    QString text;
    for (const Command &command : commands()) {
        if (isOfGroup(command, word))
            text += commandLine(command.name, command.summary);
    }
    return text;
}

// A word that is a command by itself, such as worker, may also begin others.
QString othersOfTheWord(const Command &command)
{
    const QString table = groupTable(QLatin1String(command.name));
    return table.isEmpty() ? table : QStringLiteral("\nOther commands that begin with this word:\n") + table;
}

// Without those that othersOfTheWord() lists.
QString seeAlsoTable(const Command &command)
{
    QString text;
    for (const Command *const other : seeAlso(command)) {
        if (!isOfGroup(*other, QLatin1String(command.name)))
            text += commandLine(other->name, other->summary);
    }
    return text.isEmpty() ? text : QStringLiteral("\nSee also:\n") + text;
}

// `name`: as it is typed.
QString descriptionOf(const QString &name, const Command &command)
{
    QString text = usage(name + u' ' + QLatin1String(command.synopsis));
    text += u'\n' + flowing(QString::fromUtf8(command.summary)) + othersOfTheWord(command);
    if (*command.details)
        text += u'\n' + flowing(withInstalledPlaces(QString::fromUtf8(command.details)));
    text += u'\n' + roleLine(command);
    return text + exampleLines(command) + optionTable("Options", command.options) + exitTable(command);
}

// The options of every command; -o takes what this one can write.
QList<QCommandLineOption> globalOptionsOf(const Command &command)
{
    QList<QCommandLineOption> options = globalOptions();
    const auto output = std::ranges::find_if(
        options, [](const QCommandLineOption &option) { return option.names().contains(QStringLiteral("output")); });
    const QString forms = QString::fromLatin1(command.forms);
    if (output != options.end() && forms != QLatin1String(Command::UsualForms)) {
        output->setValueName(forms);
        output->setDescription(QStringLiteral("form of the data (default: %1)").arg(forms.section(u'|', 0, 0)));
    }
    return options;
}

} // namespace

const Command &wholeProgram()
{
    static const Command whole{
        .name = "drover",
        .synopsis = "[OPTIONS] COMMAND ...",
        .summary = "Runs jobs on a cluster of equal workers that agree through ZooKeeper.",
        .examples = {"drover up --detach", "drover run -- echo hello", "drover submit --retries 3 -- ./backup.sh"},
        .exits = {{"3", "a cluster, queue, job, znode, setting or item was not found"},
                  {"4", "wrong state: ended, taken, changed, already running"},
                  {"7", "the queue is full"},
                  {"124", "a time-out"},
                  {"125", "the job has ended without an exit code"},
                  {"126", "the command to run cannot be executed"},
                  {"127", "the command to run was not found"},
                  {"N", "that of the job or command that was run; 128 + N: signal N has ended it"}},
        .run = nullptr};
    return whole;
}

QString helpText()
{
    const Command &whole = wholeProgram();
    QString text = usage(QStringLiteral("drover ") + QLatin1String(whole.synopsis)) + u'\n'
        + flowing(QLatin1String(whole.summary)) + exampleLines(whole);
    for (const CommandGroup &group : commandGroups())
        text += commandTable(group);
    text += optionTable("Options of every command", globalOptions()) + exitTable(whole);
    return text + QStringLiteral("\ndrover COMMAND --help explains a command, and has all of its exit codes.\n");
}

QString helpText(const Command &command)
{
    return descriptionOf(QStringLiteral("drover ") + QLatin1String(command.name), command)
        + optionTable("Options of every command", globalOptionsOf(command)) + seeAlsoTable(command);
}

QString programHelpText(const QString &program, const Command &command)
{
    return descriptionOf(program, command);
}

QString groupHelpText(const QString &word)
{
    return usage(QStringLiteral("drover %1 COMMAND ...").arg(word)) + u'\n' + groupTable(word)
        + QStringLiteral("\ndrover %1 COMMAND --help explains a command.\n").arg(word);
}

// Exit codes that are not numbers come last.
QList<Command::ExitMeaning> exitMeanings(const Command &command)
{
    QList<Command::ExitMeaning> exits = command.exits;
    const auto isSaid = [&](const Command::ExitMeaning &common) {
        return std::ranges::any_of(
            command.exits, [&](const Command::ExitMeaning &own) { return qstrcmp(own.code, common.code) == 0; });
    };
    std::remove_copy_if(CommonExits.begin(), CommonExits.end(), std::back_inserter(exits), isSaid);
    const auto number = [](const Command::ExitMeaning &exit) {
        bool isNumber = false;
        const int code = QByteArray(exit.code).toInt(&isNumber);
        return isNumber ? code : std::numeric_limits<int>::max();
    };
    std::ranges::stable_sort(exits, [&](const auto &a, const auto &b) { return number(a) < number(b); });
    return exits;
}

} // namespace drover::app
