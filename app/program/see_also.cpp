#include "app/program/see_also.h"

#include "app/commands/registry.h"

#include <array>

namespace drover::app {

namespace {

constexpr std::array<std::pair<const char *, const char *>, 76> Neighbours{{
    {"submit", "run, wait, logs, show, why"},
    {"run", "submit, logs, why"},
    {"ls", "show, why, top, history"},
    {"show", "why, logs, ls"},
    {"why", "show, doctor, worker ls"},
    {"logs", "show, wait, events"},
    {"wait", "logs, show, why"},
    {"cancel", "signal, hold, ls"},
    {"hold", "release, queue pause"},
    {"release", "hold, queue resume"},
    {"requeue", "resubmit, cancel"},
    {"resubmit", "submit, requeue, history"},
    {"signal", "cancel, requeue"},
    {"priority", "move, why"},
    {"move", "priority, queue ls"},
    {"events", "history, top"},
    {"history", "ls, show, events"},
    {"history export", "events"},
    {"history keep", "doctor, cluster limits"},
    {"cron add", "submit"},
    {"cron ls", "ls"},
    {"cron show", "history"},
    {"cron run", "wait, logs"},
    {"up", "down, run, worker, launch"},
    {"down", "up"},
    {"worker", "up, launch, config check, login, top"},
    {"config check", "worker, launch"},
    {"worker ls", "top, queue ls, doctor"},
    {"worker show", "ls, doctor"},
    {"worker cordon", "queue pause"},
    {"worker drain", "launch"},
    {"launch", "worker, worker ls, worker add, up"},
    {"queue ls", "limit ls, top"},
    {"queue pause", "hold, worker cordon"},
    {"queue resume", "release"},
    {"queue limit", "limit set"},
    {"limit set", "submit, queue limit"},
    {"limit ls", "queue ls, why"},
    {"cluster limits", "queue ls, history keep"},
    {"cluster status", "doctor"},
    {"cluster check", "cluster prepare, doctor"},
    {"cluster prepare", "cluster check, cluster init, up"},
    {"master show", "worker ls"},
    {"master stepdown", "doctor"},
    {"top", "ls, worker ls, queue ls, events"},
    {"doctor", "why, cluster check, worker ls"},
    {"tree", "doctor, lock, config get"},
    {"cluster init", "worker add, user add, login"},
    {"cluster secure", "worker add, user add, login"},
    {"user add", "login, whoami"},
    {"user rm", "key rotate"},
    {"user ls", "whoami, worker add"},
    {"worker add", "login, user ls, launch"},
    {"login", "whoami, user add, worker add"},
    {"whoami", "login, user ls"},
    {"key rotate", "user rm, whoami"},
    {"key sign", "whoami"},
    {"lock", "semaphore, elect, append"},
    {"semaphore", "lock, limit set"},
    {"elect", "lock, group"},
    {"barrier", "double-barrier"},
    {"double-barrier", "barrier, group"},
    {"group", "elect, double-barrier"},
    {"config get", "counter"},
    {"config set", "counter"},
    {"config watch", "tree"},
    {"counter", "config get, semaphore"},
    {"queue", "submit, append"},
    {"append", "files show, lock"},
    {"files ls", "append"},
    {"files show", "append"},
    {"files verify", "append"},
    {"files forget", "append"},
    {"completion", "up"},
    {"demo", "up, run"},
    {"cron rm", "cancel"},
}};

} // namespace

std::span<const std::pair<const char *, const char *>> neighbours()
{
    return Neighbours;
}

QList<const Command *> seeAlso(const Command &command)
{
    QList<const Command *> found;
    const auto addNamed = [&](const QStringList &names) {
        for (const QString &name : names) {
            const Command *const other = findCommand(name);
            if (other && qstrcmp(other->name, command.name) != 0 && !found.contains(other))
                found.append(other);
        }
    };
    for (const auto &[about, others] : neighbours()) {
        if (qstrcmp(about, command.name) == 0)
            addNamed(QString(QLatin1String(others)).split(QStringLiteral(", ")));
    }
    const QString word = QString(QLatin1String(command.name)).section(u' ', 0, 0);
    QStringList siblings{word};
    for (const QString &second : secondWords(word))
        siblings.append(word + u' ' + second);
    addNamed(siblings);
    return found;
}

} // namespace drover::app
