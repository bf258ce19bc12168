#include "app/commands/cluster/worker_arguments.h"

#include "app/cli/failure.h"
#include "app/cli/units.h"
#include "app/environment/directories.h"
#include "app/jobs/output_locator.h"
#include "text/name.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QSysInfo>
#include <QThread>

#include <algorithm>

#include <unistd.h>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr qint64 ProcessesPerSlot = 1000;
constexpr qint64 LeastProcesses = 4000;

// "<host>-<pid>", of what a name may consist of.
QString defaultId()
{
    const QString suffix = u'-' + QString::number(QCoreApplication::applicationPid());
    QString host;
    for (const QChar c : QSysInfo::machineHostName().section(u'.', 0, 0).toLower()) {
        const bool allowed = (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9') || c == u'-';
        host += allowed ? c : QChar(u'-');
    }
    while (host.startsWith(u'-'))
        host.remove(0, 1);
    return (host.isEmpty() ? QStringLiteral("worker") : host.left(32 - suffix.size())) + suffix;
}

QByteArrayList queuesFrom(const Arguments &arguments, const WorkerPolicy &policy)
{
    QByteArrayList queues;
    for (const QString &value : arguments.values("queue")) {
        const QByteArray queue = parseName(value, QStringLiteral("--queue"));
        if (!queues.contains(queue))
            queues.append(queue);
    }
    if (queues.isEmpty())
        queues = policy.queues;
    return queues.isEmpty() ? QByteArrayList{QByteArrayLiteral("default")} : queues;
}

QStringList labelsFrom(const Arguments &arguments)
{
    QStringList labels;
    for (const QString &value : arguments.values("label")) {
        for (const QString &label : value.split(u',')) {
            if (!text::isLockName(label))
                throw UsageError(QStringLiteral("--label: \"%1\" is none; use 1 to 64 letters, digits and . _ -, not "
                                                "beginning with a dot, with commas between them")
                                     .arg(label));
            if (!labels.contains(label))
                labels.append(label);
        }
    }
    return labels;
}

workers::JobPolicy jobPolicyFrom(const Arguments &arguments, const WorkerPolicy &policy)
{
    workers::JobPolicy jobs = policy.jobs;
    if (::geteuid() != 0 || arguments.has("allow-root") || policy.allowRoot)
        return jobs;
    if (jobs.users.empty())
        throw CommandError(ExitDenied,
                           QStringLiteral("this worker would run each job as root; start it as another user, or give "
                                          "--allow-root if all who submit may be root here"));
    jobs.mayRunAsWorker = false;
    return jobs;
}

} // namespace

workers::WorkerOptions workerOptionsFrom(const Context &context, const WorkerPolicy &policy)
{
    const Arguments &arguments = context.arguments();
    workers::WorkerOptions options;
    options.id = QString::fromLatin1(arguments.name("id", ""));
    if (options.id.isEmpty())
        options.id = defaultId();
    options.policy = jobPolicyFrom(arguments, policy);
    options.limitsProcesses = arguments.integer("max-processes", 0, MostProcesses, policy.maxProcesses.value_or(0)) > 0;
    options.queues = queuesFrom(arguments, policy);
    const int slotCount = policy.slotCount.value_or(QThread::idealThreadCount());
    options.slotCount = static_cast<int>(arguments.integer("slots", 1, MostSlots, slotCount));
    options.memory = arguments.size("memory", policy.memory.value_or(options.memory), LeastMemory);
    options.labels = labelsFrom(arguments);
    options.bounds.output = arguments.size("max-output", policy.bounds.output);
    options.bounds.grace = arguments.duration("max-grace", policy.bounds.grace);
    options.spool = arguments.has("spool") ? QDir(arguments.value("spool")).absolutePath()
                                           : defaultSpool(context.settings().cluster);
    options.spoolLimits.age = arguments.duration("spool-keep", options.spoolLimits.age);
    options.spoolLimits.bytes = arguments.size("spool-size", options.spoolLimits.bytes);
    if (arguments.has("spool-reserve"))
        options.spoolLimits.reserve = arguments.size("spool-reserve", 0);
    // So that a job's own drover commands find its cluster.
    options.jobEnvironment = {"DROVER_CONNECT=" + context.settings().connect.toLocal8Bit(),
                              "DROVER_CLUSTER=" + context.settings().cluster};
    if (arguments.has("job-credentials")) // the worker's own are none of a job's business
        options.jobEnvironment.append("DROVER_CREDENTIALS="
                                      + QFile::encodeName(QDir(arguments.value("job-credentials")).absolutePath()));
    return options;
}

workers::RunnerClient::Options runnerOptionsFrom(const Arguments &arguments, const WorkerPolicy &policy,
                                                 const workers::WorkerOptions &options)
{
    using workers::ProcessView;
    const qint64 processes = std::clamp(ProcessesPerSlot * options.slotCount, LeastProcesses, MostProcesses);
    return {.stateFolder = options.spool + QStringLiteral("/runs"),
            .view = arguments.has("host-pids") ? ProcessView::Machine : ProcessView::Own,
            .allowSetuid = arguments.has("allow-setuid") || policy.allowSetuid,
            .maxProcesses =
                arguments.integer("max-processes", 0, MostProcesses, policy.maxProcesses.value_or(processes))};
}

// In less than that a thread may stand still on a busy machine, and the worker would end its jobs each time.
std::chrono::milliseconds sessionTimeoutFrom(const Arguments &arguments)
{
    const std::chrono::milliseconds timeout = arguments.duration("session-timeout", Context::DefaultSessionTimeout);
    if (timeout < 1s)
        throw UsageError(QStringLiteral("--session-timeout: \"%1\" is too short; give at least 1s")
                             .arg(arguments.value("session-timeout")));
    return timeout;
}

mode_t umaskFrom(const Arguments &arguments)
{
    constexpr mode_t UsualUmask = 022;
    if (!arguments.has("umask"))
        return UsualUmask;
    bool isOctal = false;
    const uint mask = arguments.value("umask").toUInt(&isOctal, 8);
    if (!isOctal || mask > 0777)
        throw UsageError(QStringLiteral("--umask: \"%1\" is not a valid mask; give up to three octal digits, e.g. 027")
                             .arg(arguments.value("umask")));
    return mask;
}

} // namespace drover::app
