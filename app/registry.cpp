#include "app/registry.h"

#include "app/arguments.h"
#include "app/commands/commands.h"

#include <algorithm>
#include <numeric>

namespace drover::app {

namespace {

// Levenshtein's.
qsizetype editDistance(const QString &a, const QString &b)
{
    QList<qsizetype> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (qsizetype i = 1; i <= a.size(); ++i) {
        qsizetype diagonal = row[0];
        row[0] = i;
        for (qsizetype j = 1; j <= b.size(); ++j) {
            const qsizetype substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[b.size()];
}

} // namespace

const QList<CommandGroup> &commandGroups()
{
    static const QList<CommandGroup> all{
        {"Jobs",
         {submit(), run(), ls(), show(), why(), logs(), wait(), cancel(), hold(), release(), requeue(), resubmit(),
          signal(), priority(), move(), events(), history(), historyExport(), historyKeep()}},
        {"Jobs that recur", {cronAdd(), cronLs(), cronShow(), cronRm(), cronPause(), cronResume(), cronRun()}},
        {"The cluster", {up(),           down(),           worker(),      workerLs(), workerShow(),
                         workerCordon(), workerUncordon(), workerDrain(), queueLs(),  queuePause(),
                         queueResume(),  queueLimit(),     limitSet(),    limitLs(),  clusterLimits(),
                         masterShow(),   masterStepdown(), top(),         doctor(),   tree(),
                         completion()}},
        {"Coordination for scripts",
         {lock(), semaphore(), elect(), barrier(), doubleBarrier(), group(), configGet(), configSet(), configWatch(),
          counter(), queue(), append(), filesLs(), filesShow(), filesVerify(), filesForget()}},
        {"To see how it works, and how fast",
         {demo(), labLocks(), labElection(), labBarrier(), labQueue(), labCompare(), benchLock(), benchJobs(),
          benchLatency(), benchSubmit(), benchFailover(), benchAppend(), benchRecipes()}},
        {nullptr, {demoCount(), complete()}},
    };
    return all;
}

const QList<Command> &commands()
{
    static const QList<Command> all = [] {
        QList<Command> list;
        for (const CommandGroup &group : commandGroups())
            list += group.commands;
        return list;
    }();
    return all;
}

const Command *findCommand(const QString &name)
{
    const QList<Command> &all = commands();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Command &c) { return name == QLatin1String(c.name); });
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
    const bool takesPath =
        std::any_of(command.options.begin(), command.options.end(),
                    [](const QCommandLineOption &one) { return one.names().contains(QStringLiteral("path")); });
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

QStringList nearestCommands(const QString &name)
{
    QList<std::pair<qsizetype, QString>> ranked;
    for (const Command &command : commands()) {
        const QString candidate = QLatin1String(command.name);
        // A word that begins a name, or the other way round, is as near as one slip of the finger.
        const bool begins = candidate.startsWith(name) || candidate.startsWith(name.section(u' ', 0, 0) + u' ');
        const qsizetype distance = begins ? 1 : editDistance(name, candidate);
        if (distance <= std::max<qsizetype>(1, name.size() / 2) && distance <= 3)
            ranked.append({distance, candidate});
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    QStringList names;
    for (const auto &[distance, candidate] : ranked.mid(0, 3))
        names.append(candidate);
    return names;
}

} // namespace drover::app
