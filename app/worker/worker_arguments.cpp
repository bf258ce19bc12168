#include "app/worker/worker_arguments.h"

#include "app/cli/failure.h"
#include "app/cli/units.h"
#include "app/jobs/output_locator.h"

#include <QDir>
#include <QFile>
#include <QThread>

#include <algorithm>

#include <unistd.h>

namespace drover::app {

namespace {

constexpr qint64 ProcessesPerSlot = 1000;
constexpr qint64 LeastProcesses = 4000;

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

QStringList labelsFrom(const Arguments &arguments, const WorkerPolicy &policy)
{
    if (!arguments.has("label"))
        return policy.labels;
    QStringList labels;
    for (const QString &value : arguments.values("label"))
        labels += parseLabels(value, QStringLiteral("--label"));
    labels.removeDuplicates();
    return labels;
}

QString spoolFrom(const Context &context, const WorkerPolicy &policy)
{
    if (context.arguments().has("spool"))
        return QDir(context.arguments().value("spool")).absolutePath();
    return policy.spool.isEmpty() ? defaultSpool(context.settings().cluster) : policy.spool;
}

workers::SpoolLimits spoolLimitsFrom(const Arguments &arguments, const WorkerPolicy &policy)
{
    workers::SpoolLimits limits = policy.spoolLimits;
    if (arguments.has("spool-keep"))
        limits.age = parseAge(arguments.value("spool-keep"), QStringLiteral("--spool-keep"));
    limits.bytes = arguments.size("spool-size", limits.bytes);
    if (arguments.has("spool-reserve"))
        limits.reserve = arguments.size("spool-reserve", 0);
    return limits;
}

workers::JobPolicy jobPolicyFrom(const Arguments &arguments, const WorkerPolicy &policy)
{
    workers::JobPolicy jobs = policy.jobs;
    if (::geteuid() != 0 || arguments.has("allow-root") || policy.allowRoot)
        return jobs;
    if (jobs.users.empty() && !jobs.defaultUser)
        throw CommandError(
            ExitDenied,
            QStringLiteral("this worker would run each job as root; start it as another user, name one in its "
                           "file (default_user), or give --allow-root (in its file: allow_root = true) if "
                           "all who submit may be root here"));
    jobs.mayRunAsWorker = false;
    return jobs;
}

} // namespace

workers::WorkerOptions workerOptionsFrom(const Context &context, const WorkerPolicy &policy)
{
    const Arguments &arguments = context.arguments();
    workers::WorkerOptions options;
    options.id = arguments.has("id") ? QString::fromLatin1(arguments.name("id", "")) : policy.id;
    options.policy = jobPolicyFrom(arguments, policy);
    options.limitsProcesses = arguments.integer("max-processes", 0, MostProcesses, policy.maxProcesses.value_or(0)) > 0;
    options.queues = queuesFrom(arguments, policy);
    const int slotCount = policy.slotCount.value_or(QThread::idealThreadCount());
    options.slotCount = static_cast<int>(arguments.integer("slots", 1, MostSlots, slotCount));
    options.memory = arguments.size("memory", policy.memory.value_or(options.memory), LeastMemory);
    options.labels = labelsFrom(arguments, policy);
    options.bounds.output = arguments.size("max-output", policy.bounds.output);
    options.bounds.grace = arguments.duration("max-grace", policy.bounds.grace);
    options.bounds.memory = arguments.size("max-memory", policy.bounds.memory, LeastMemory);
    options.spool = spoolFrom(context, policy);
    options.spoolLimits = spoolLimitsFrom(arguments, policy);
    // So that a job's own drover commands find its cluster.
    options.jobEnvironment = {"DROVER_CONNECT=" + context.settings().connect.toLocal8Bit(),
                              "DROVER_CLUSTER=" + context.settings().cluster};
    const QString jobCredentials = arguments.has("job-credentials")
        ? QDir(arguments.value("job-credentials")).absolutePath()
        : policy.jobCredentials;
    if (!jobCredentials.isEmpty()) // the worker's own are none of a job's business
        options.jobEnvironment.append("DROVER_CREDENTIALS=" + QFile::encodeName(jobCredentials));
    return options;
}

workers::RunnerClient::Options runnerOptionsFrom(const Arguments &arguments, const WorkerPolicy &policy,
                                                 const workers::WorkerOptions &options)
{
    using workers::ProcessView;
    const qint64 processes = std::clamp(ProcessesPerSlot * options.slotCount, LeastProcesses, MostProcesses);
    return {.stateFolder = options.spool + QStringLiteral("/runs"),
            .view = arguments.has("host-pids") || policy.hostPids ? ProcessView::Machine : ProcessView::Own,
            .allowSetuid = arguments.has("allow-setuid") || policy.allowSetuid,
            .maxProcesses =
                arguments.integer("max-processes", 0, MostProcesses, policy.maxProcesses.value_or(processes))};
}

std::chrono::milliseconds sessionTimeoutFrom(const Arguments &arguments, const WorkerPolicy &policy)
{
    return arguments.has("session-timeout")
        ? parseSessionTimeout(arguments.value("session-timeout"), QStringLiteral("--session-timeout"))
        : policy.sessionTimeout.value_or(Context::DefaultSessionTimeout);
}

mode_t umaskFrom(const Arguments &arguments, const WorkerPolicy &policy)
{
    constexpr mode_t UsualUmask = 022;
    return arguments.has("umask") ? parseUmask(arguments.value("umask"), QStringLiteral("--umask"))
                                  : policy.umask.value_or(UsualUmask);
}

Settings settingsFrom(const Context &context, const WorkerPolicy &policy)
{
    Settings settings = context.settings();
    const Arguments &arguments = context.arguments();
    if (arguments.has("listen")) {
        settings.listen = arguments.value("listen");
        settings.listenSource = QStringLiteral("--listen");
    } else if (!policy.listen.isEmpty() && settings.listenSource != u"DROVER_LISTEN") {
        settings.listen = policy.listen;
        settings.listenSource = policy.file;
    }
    if (arguments.has("advertise"))
        settings.advertise = arguments.value("advertise");
    else if (!policy.advertise.isEmpty())
        settings.advertise = policy.advertise;
    const bool isSaidHere = settings.historySource == u"--history" || settings.historySource == u"DROVER_HISTORY";
    if (!policy.history.isEmpty() && !isSaidHere) {
        settings.history = policy.history == u"none" ? QString() : policy.history;
        settings.historySource = policy.file;
    }
    return settings;
}

} // namespace drover::app
