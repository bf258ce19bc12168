#include "app/commands/registry.h"

#include "app/cli/arguments.h"
#include "app/cli/nearest.h"

#include <algorithm>

namespace drover::app {

namespace {

struct Registry {
    QList<CommandGroup> groups;
    QList<Command> commands; // of all groups
};

Registry &registry()
{
    static Registry only;
    return only;
}

} // namespace

void setCommandGroups(QList<CommandGroup> groups)
{
    registry().commands.clear();
    for (CommandGroup &group : groups) {
        for (Command &command : group.commands) {
            const auto described = static_cast<int>(command.takes.size());
            if (command.argumentCount.most == 0)
                command.argumentCount = {described, described};
        }
        registry().commands += group.commands;
    }
    registry().groups = std::move(groups);
}

const QList<CommandGroup> &commandGroups()
{
    return registry().groups;
}

const QList<Command> &commands()
{
    return registry().commands;
}

const Command *findCommand(const QString &name)
{
    const QList<Command> &all = commands();
    const auto found = std::ranges::find_if(all, [&](const Command &c) { return name == QLatin1String(c.name); });
    return found == all.end() ? nullptr : &*found;
}

QString checkOf(const Command &command, const Arguments &arguments)
{
    const char *check = command.check;
    for (const Verb &verb : command.verbs) {
        if (verb.name == arguments.at(1))
            check = verb.check;
    }
    if (!check)
        return {};
    const bool takesPath = std::ranges::any_of(
        command.options, [](const QCommandLineOption &one) { return one.names().contains(QStringLiteral("path")); });
    if (takesPath && arguments.has("path"))
        return QStringLiteral("drover tree %1").arg(arguments.value("path"));
    const QString text = QLatin1String(check);
    return text.contains(u"%1") ? text.arg(arguments.at(0)) : text;
}

QStringList secondWords(const QString &word)
{
    QStringList words;
    for (const Command &command : commands()) {
        const QString name = QLatin1String(command.name);
        if (name.startsWith(word + u' '))
            words.append(name.mid(word.size() + 1));
    }
    return words;
}

const CompanionProgram *findCompanion(const QString &word)
{
    for (const CommandGroup &group : commandGroups()) {
        for (const CompanionProgram &companion : group.companions) {
            if (word == QLatin1String(companion.word))
                return &companion;
        }
    }
    return nullptr;
}

QStringList nearestCommands(const QString &name)
{
    QStringList candidates;
    for (const CommandGroup &group : commandGroups()) {
        for (const Command &command : group.commands)
            candidates.append(QLatin1String(command.name));
        for (const CompanionProgram &companion : group.companions)
            candidates.append(QLatin1String(companion.word));
    }
    return nearest(name, candidates);
}

} // namespace drover::app
