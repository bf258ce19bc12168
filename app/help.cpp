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

QString commandTable(const CommandGroup &group)
{
    if (!group.title)
        return {};
    QString text = QStringLiteral("\n%1:\n").arg(QLatin1String(group.title));
    for (const Command &command : group.commands)
        text +=
            QStringLiteral("  %1  %2\n").arg(QLatin1String(command.name), -14).arg(QString::fromUtf8(command.summary));
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
    return text + optionTable("Options", command.options) + optionTable("Options of every command", globalOptions());
}

} // namespace drover::app
