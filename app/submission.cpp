#include "app/submission.h"

#include "app/failure.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QProcessEnvironment>
#include <QSysInfo>

#include <pwd.h>
#include <unistd.h>

namespace drover::app {

namespace {

bool isSubmitted(const QString &variable)
{
    static const QStringList Names{QStringLiteral("PATH"),    QStringLiteral("HOME"), QStringLiteral("USER"),
                                   QStringLiteral("LOGNAME"), QStringLiteral("LANG"), QStringLiteral("TZ")};
    return Names.contains(variable) || variable.startsWith(u"LC_");
}

jobs::Environment environmentFrom(const QStringList &additions)
{
    jobs::Environment environment;
    const QProcessEnvironment own = QProcessEnvironment::systemEnvironment();
    for (const QString &name : own.keys()) {
        if (isSubmitted(name))
            environment[name] = own.value(name);
    }
    for (const QString &addition : additions) {
        const qsizetype equals = addition.indexOf(u'=');
        if (equals == 0 || (equals < 0 && !own.contains(addition)))
            throw UsageError(
                QStringLiteral("--env: \"%1\" is neither NAME=VALUE nor the name of a variable that is set")
                    .arg(addition));
        const QString name = equals < 0 ? addition : addition.left(equals);
        environment[name] = equals < 0 ? own.value(name) : addition.mid(equals + 1);
    }
    return environment;
}

} // namespace

QString submitterName()
{
    const passwd *const user = ::getpwuid(::getuid());
    const QString name = user ? QString::fromLocal8Bit(user->pw_name) : QString::number(::getuid());
    return name + u'@' + QSysInfo::machineHostName();
}

QList<QCommandLineOption> submissionOptions()
{
    return {
        option("name", "name for people (default: the program)", "NAME"),
        option("queue", "queue to submit to (default: default)", "QUEUE"),
        option("priority", "0 (first) to 9 (default: 5)", "N"),
        option("env", "set a variable, or pass on one that is set here; may be repeated", "NAME[=VALUE]"),
        option("dir", "working directory (default: the current one)", "DIR"),
        option("stdin", "file for standard input (default: none)", "FILE"),
        option("append-to", "append standard output to a shared file, once, when the job has succeeded", "FILE"),
        option("time-limit", "end the job after so long (default: none)", "DURATION"),
        option("grace", "time between SIGTERM and SIGKILL (default: 5s)", "DURATION"),
        option("attempts", "how often it may be begun, crashed workers included (default: 5)", "N"),
        option("output-limit", "bytes kept of each output stream (default: 64M)", "SIZE"),
    };
}

jobs::JobSpec specFrom(const Arguments &arguments)
{
    jobs::JobSpec spec;
    spec.command = arguments.positional();
    if (spec.command.value(0).isEmpty())
        throw UsageError(QStringLiteral("the program's name is empty; give a command after --"));
    spec.environment = environmentFrom(arguments.values("env"));
    spec.directory = arguments.has("dir") ? QDir(arguments.value("dir")).absolutePath() : QDir::currentPath();
    if (arguments.has("stdin")) {
        const QFileInfo file(arguments.value("stdin"));
        if (!file.isReadable())
            throw UsageError(QStringLiteral("--stdin: cannot read %1").arg(file.filePath()));
        spec.input = file.absoluteFilePath();
    }
    if (arguments.has("append-to"))
        spec.appendTo = QFileInfo(arguments.value("append-to")).absoluteFilePath();
    spec.name = arguments.value("name");
    spec.queue = arguments.name("queue", "default");
    spec.priority = static_cast<int>(arguments.integer("priority", 0, jobs::JobSpec::MaxPriority, spec.priority));
    spec.maxAttempts = static_cast<int>(arguments.integer("attempts", 1, 1000, spec.maxAttempts));
    spec.timeLimit = arguments.duration("time-limit", spec.timeLimit);
    spec.killGrace = arguments.duration("grace", spec.killGrace);
    spec.outputLimit = arguments.size("output-limit", spec.outputLimit);
    spec.submitter = submitterName();
    spec.submittedAt = std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch());
    return spec;
}

} // namespace drover::app
