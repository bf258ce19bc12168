#include "app/program/manual_page.h"

#include "app/cli/arguments.h"
#include "app/commands/registry.h"
#include "app/program/help.h"
#include "app/program/see_also.h"

#include <algorithm>

namespace drover::app {

namespace {

const QString MainPage = QStringLiteral("drover");

// Roff takes a backslash for an escape, and a line that begins with a dot or an apostrophe for a request. A bare hyphen
// would become typographic, so that a pasted option would be another word.
QString escaped(QString text)
{
    text.replace(u'\\', QStringLiteral("\\e"));
    text.replace(u'-', QStringLiteral("\\-"));
    text.replace(u'~', QStringLiteral("\\(ti"));
    text.replace(u'^', QStringLiteral("\\(ha"));
    text.replace(u'`', QStringLiteral("\\(ga"));
    text.replace(u'\'', QStringLiteral("\\(aq"));
    return text.startsWith(u'.') ? QStringLiteral("\\&") + text : text;
}

QString escaped(const char *text)
{
    return escaped(QString::fromUtf8(text));
}

QString bold(const QString &text)
{
    return QStringLiteral("\\fB%1\\fR").arg(escaped(text));
}

QString heading(const char *macro, const QString &text)
{
    return QStringLiteral(".%1 \"%2\"\n").arg(QLatin1String(macro), escaped(text).replace(u'"', u"\\(dq"_qs));
}

// `term`, which is escaped already, and below it what it means.
QString roffEntry(const QString &term, const QString &meaning)
{
    return QStringLiteral(".TP\n%1\n%2\n").arg(term, escaped(meaning));
}

// Lines that begin with a blank stay as they are; the others flow together, and an empty one ends a paragraph.
QString roffText(const QString &text)
{
    QString result;
    bool asItIs = false;
    for (const QString &line : text.split(u'\n')) {
        const bool isIndented = line.startsWith(u' ');
        if (isIndented != asItIs)
            result += isIndented ? QStringLiteral(".PP\n.nf\n") : QStringLiteral(".fi\n.PP\n");
        else if (line.isEmpty())
            result += QStringLiteral(".PP\n");
        asItIs = isIndented;
        if (!line.isEmpty())
            result += escaped(line) + u'\n';
    }
    return asItIs ? result + QStringLiteral(".fi\n") : result;
}

QString roffOptions(const QList<QCommandLineOption> &options)
{
    QString text;
    for (const QCommandLineOption &option : options) {
        QStringList names;
        for (const QString &name : option.names())
            names.append(bold((name.size() == 1 ? QStringLiteral("-") : QStringLiteral("--")) + name));
        const QString value =
            option.valueName().isEmpty() ? QString() : QStringLiteral(" \\fI%1\\fR").arg(escaped(option.valueName()));
        text += roffEntry(names.join(QStringLiteral(", ")) + value, option.description());
    }
    return text;
}

QString roffExamples(const Command &command)
{
    QString text = QStringLiteral(".nf\n");
    for (const char *const example : command.examples)
        text += escaped(example) + u'\n';
    return text + QStringLiteral(".fi\n");
}

QString roffExits(const Command &command)
{
    QString text;
    for (const Command::ExitMeaning &exit : exitMeanings(command))
        text += roffEntry(bold(QLatin1String(exit.code)), QString::fromUtf8(exit.meaning));
    return text;
}

// `name`: as it is typed.
QString synopsis(const QString &name, const Command &command)
{
    return QStringLiteral("%1 %2\n").arg(bold(name), escaped(command.synopsis));
}

// What one command does, under headings of this macro.
QString description(const Command &command, const char *macro)
{
    QString text = escaped(command.summary) + QStringLiteral(".\n");
    if (*command.details)
        text += QStringLiteral(".PP\n") + roffText(QString::fromUtf8(command.details));
    text += QStringLiteral(".PP\nRole in a closed cluster: %1.\n").arg(escaped(needsText(command.needs)));
    if (!command.options.isEmpty())
        text += heading(macro, QStringLiteral("OPTIONS")) + roffOptions(command.options);
    if (!command.examples.isEmpty())
        text += heading(macro, QStringLiteral("EXAMPLES")) + roffExamples(command);
    return text + heading(macro, QStringLiteral("EXIT STATUS")) + roffExits(command);
}

QString firstWord(const char *name)
{
    return QString(QLatin1String(name)).section(u' ', 0, 0);
}

QString pageOf(const QString &word)
{
    return MainPage + u'-' + word;
}

QList<Command> commandsOfPage(const QString &page)
{
    QList<Command> found;
    for (const CommandGroup &group : commandGroups()) {
        std::copy_if(group.commands.begin(), group.commands.end(), std::back_inserter(found),
                     [&](const Command &command) { return group.title && pageOf(firstWord(command.name)) == page; });
    }
    return found;
}

bool hasCompanions()
{
    return std::any_of(commandGroups().begin(), commandGroups().end(),
                       [](const CommandGroup &group) { return !group.companions.isEmpty(); });
}

// `about` is one line.
QString beginning(const QString &page, const QString &about)
{
    return QStringLiteral(".TH %1 1 \"\" \"drover %2\" \"Drover\"\n")
               .arg(escaped(page.toUpper()), QStringLiteral(DROVER_VERSION))
        + heading("SH", QStringLiteral("NAME")) + QStringLiteral("%1 \\- %2\n").arg(escaped(page), escaped(about))
        + heading("SH", QStringLiteral("SYNOPSIS"));
}

QString mainPage()
{
    const Command &whole = wholeProgram();
    QString text = beginning(MainPage, QStringLiteral("a distributed job scheduler on ZooKeeper"));
    text += synopsis(MainPage, whole);
    text += heading("SH", QStringLiteral("DESCRIPTION")) + escaped(whole.summary)
        + QStringLiteral("\nThe page \\fBdrover\\-COMMAND\\fR(1) explains a command, and has all of its exit codes.\n");
    text += heading("SH", QStringLiteral("EXAMPLES")) + roffExamples(whole);
    text += heading("SH", QStringLiteral("COMMANDS"));
    for (const CommandGroup &group : commandGroups()) {
        if (!group.title)
            continue;
        text += heading("SS", QLatin1String(group.title));
        for (const Command &command : group.commands)
            text += roffEntry(bold(QLatin1String(command.name)), QString::fromUtf8(command.summary));
        for (const CompanionProgram &companion : group.companions)
            text += roffEntry(bold(QLatin1String(companion.word)), QString::fromUtf8(companion.summary));
    }
    text += heading("SH", QStringLiteral("OPTIONS OF EVERY COMMAND")) + roffOptions(globalOptions());
    text += heading("SH", QStringLiteral("EXIT STATUS")) + roffExits(whole);
    return text + heading("SH", QStringLiteral("SEE ALSO")) + QStringLiteral("\\fBdrover\\-console\\fR(1)\n");
}

// The pages of what one needs next to the commands of this page, each followed by a comma.
QString otherPages(const QString &page, const QList<Command> &all)
{
    QStringList pages;
    for (const Command &command : all) {
        for (const Command *const other : seeAlso(command))
            pages.append(pageOf(firstWord(other->name)));
    }
    pages.removeAll(page);
    pages.removeDuplicates();
    QString text;
    for (const QString &other : pages)
        text += bold(other) + QStringLiteral("(1),\n");
    return text;
}

QString aboutPage(const QString &page, const QList<Command> &all)
{
    const QString word = page.mid(MainPage.size() + 1);
    const bool isCommand = word == QLatin1String(all.first().name);
    return isCommand ? QString::fromUtf8(all.first().summary) : QStringLiteral("the commands drover %1 ...").arg(word);
}

} // namespace

QStringList manualPageNames()
{
    QStringList names;
    if (hasCompanions())
        names.append(MainPage);
    for (const CommandGroup &group : commandGroups()) {
        for (const Command &command : group.commands) {
            const QString page = pageOf(firstWord(command.name));
            if (group.title && !names.contains(page))
                names.append(page);
        }
    }
    return names;
}

QByteArray programPage(const QString &program, const Command &command)
{
    QString text = beginning(program, QString::fromUtf8(command.summary)) + synopsis(program, command);
    text += heading("SH", QStringLiteral("DESCRIPTION")) + description(command, "SH");
    text += heading("SH", QStringLiteral("SEE ALSO")) + bold(MainPage) + QStringLiteral("(1)\n");
    return text.toUtf8();
}

QByteArray manualPage(const QString &name)
{
    if (name == MainPage)
        return mainPage().toUtf8();
    const QList<Command> all = commandsOfPage(name);
    QString text = beginning(name, aboutPage(name, all));
    for (qsizetype i = 0; i < all.size(); ++i)
        text += (i > 0 ? QStringLiteral(".br\n") : QString())
            + synopsis(QStringLiteral("drover ") + QLatin1String(all[i].name), all[i]);
    if (all.size() == 1) {
        text += heading("SH", QStringLiteral("DESCRIPTION")) + description(all.first(), "SH");
    } else {
        for (const Command &command : all) {
            text += heading("SH", QStringLiteral("drover ") + QLatin1String(command.name));
            text += description(command, "SS");
        }
    }
    text += heading("SH", QStringLiteral("SEE ALSO")) + otherPages(name, all);
    return (text + QStringLiteral("\\fBdrover\\fR(1), which has the options of every command\n")).toUtf8();
}

} // namespace drover::app
