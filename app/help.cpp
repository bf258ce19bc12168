#include "app/help.h"

#include "app/command_line.h"
#include "app/registry.h"

namespace drover::app {

namespace {

QString optionLine(const QCommandLineOption &option)
{
    QStringList names;
    for (const QString &name : option.names())
        names.append((name.size() == 1 ? QStringLiteral("-") : QStringLiteral("--")) + name);
    QString left = names.join(QStringLiteral(", "));
    if (!option.valueName().isEmpty())
        left += u' ' + option.valueName();
    return QStringLiteral("  %1  %2\n").arg(left, -28).arg(option.description());
}

QString optionTable(const char *title, const QList<QCommandLineOption> &options)
{
    if (options.isEmpty())
        return {};
    QString text = QStringLiteral("\n%1:\n").arg(QLatin1String(title));
    for (const QCommandLineOption &option : options)
        text += optionLine(option);
    return text;
}

QString commandLine(const Command &command)
{
    return QStringLiteral("  %1  %2\n").arg(QLatin1String(command.name), -14).arg(QString::fromUtf8(command.summary));
}

QString commandTable(const CommandGroup &group)
{
    if (!group.title)
        return {};
    QString text = QStringLiteral("\n%1:\n").arg(QLatin1String(group.title));
    for (const Command &command : group.commands)
        text += commandLine(command);
    return text;
}

// The commands whose first word this is.
QString groupTable(const QString &word)
{
    QString text;
    for (const Command &command : commands()) {
        if (QString(QLatin1String(command.name)).startsWith(word + u' '))
            text += commandLine(command);
    }
    return text;
}

} // namespace

QString helpText()
{
    QString text = QStringLiteral("Usage: drover [OPTIONS] COMMAND ...\n\n"
                                  "Runs jobs on a cluster of equal workers that agree through ZooKeeper.\n");
    for (const CommandGroup &group : commandGroups())
        text += commandTable(group);
    text += optionTable("Options of every command", globalOptions());
    return text + QStringLiteral("\ndrover COMMAND --help explains a command. To begin: drover up\n");
}

QString helpText(const Command &command)
{
    QString text =
        QStringLiteral("Usage: drover %1 %2\n\n%3\n")
            .arg(QLatin1String(command.name), QLatin1String(command.synopsis), QString::fromUtf8(command.summary));
    if (*command.details)
        text += u'\n' + QString::fromUtf8(command.details) + u'\n';
    text += optionTable("Options", command.options) + optionTable("Options of every command", globalOptions());
    const QString others = groupTable(QLatin1String(command.name));
    return others.isEmpty() ? text : text + QStringLiteral("\nSee also:\n") + others;
}

QString groupHelpText(const QString &word)
{
    return QStringLiteral("Usage: drover %1 COMMAND ...\n\n%2\ndrover %1 COMMAND --help explains a command.\n")
        .arg(word, groupTable(word));
}

} // namespace drover::app
