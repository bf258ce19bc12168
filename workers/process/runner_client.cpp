#include "workers/process/runner_client.h"

#include "async/threads.h"
#include "workers/process/runner_child.h"
#include "workers/process/runner_protocol.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>
#include <system_error>

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

namespace drover::workers {

struct RunnerClient::Pending {
    async::Promise<std::optional<Started>> started;
    async::Promise<Outcome> outcome;
    std::string keptClaim;
    quint32 resultIndex;
};

// The word of memory that every runner of ours maps.
class RunnerClient::SharedLease
{
public:
    SharedLease() : m_fd(::memfd_create("drover-lease", MFD_CLOEXEC))
    {
        void *memory = MAP_FAILED;
        if (m_fd >= 0 && ::ftruncate(m_fd, sizeof(protocol::LeaseWord)) == 0)
            memory = ::mmap(nullptr, sizeof(protocol::LeaseWord), PROT_READ | PROT_WRITE, MAP_SHARED, m_fd, 0);
        if (memory == MAP_FAILED) {
            const std::string reason = std::generic_category().message(errno);
            ::close(m_fd);
            throw RunnerDied("cannot share memory with the job runner: " + reason);
        }
        m_word = new (memory) protocol::LeaseWord(0);
    }
    ~SharedLease()
    {
        ::munmap(m_word, sizeof *m_word);
        ::close(m_fd);
    }
    SharedLease(const SharedLease &) = delete;
    SharedLease &operator=(const SharedLease &) = delete;

    int fd() const { return m_fd; }
    void set(async::TimePoint until) { m_word->store(until.time_since_epoch().count()); }

private:
    int m_fd;
    protocol::LeaseWord *m_word;
};

namespace {

std::optional<Started> startedOf(const Outcome &outcome)
{
    if (!outcome.began())
        return std::nullopt;
    return Started{.runId = outcome.runId, .pid = outcome.pid, .startedAt = outcome.startedAt};
}

WorkerStateFile runFileIn(const QString &folder)
{
    return folder.isEmpty() ? WorkerStateFile() : WorkerStateFile(folder);
}

bool hasNul(const Command &command)
{
    const auto inBytes = [](const std::string &bytes) { return bytes.find('\0') != std::string::npos; };
    return std::any_of(command.arguments.begin(), command.arguments.end(), inBytes)
        || std::any_of(command.environment.begin(), command.environment.end(), inBytes)
        || inBytes(command.directory + command.input + command.output + command.error + command.outputCopy
                   + command.errorCopy);
}

// Why no runner can run this; empty: it can be tried.
std::string objection(const Command &command, const std::string &message)
{
    if (!command.refusal.empty())
        return protocol::refusedByPolicy + command.refusal;
    if (command.arguments.empty())
        return "the command is empty";
    if (hasNul(command))
        return "a NUL character in the command, its environment or a path";
    if (message.size() > protocol::maxMessage)
        return "the command and its environment take " + std::to_string(message.size()) + " bytes, at most "
            + std::to_string(protocol::maxMessage) + " are possible";
    return {};
}

} // namespace

QString RunnerClient::findProgram()
{
    const QString own = QCoreApplication::applicationDirPath();
    const QStringList folders{own, own + u"/../libexec/drover"_qs, qEnvironmentVariable("DROVER_BIN_DIR", own)};
    for (const QString &folder : folders) {
        const QString program = folder + u"/drover-runner"_qs;
        if (QFileInfo(program).isExecutable())
            return program;
    }
    return own + u"/drover-runner"_qs; // the start reports that it is missing
}

RunnerClient::RunnerClient() : RunnerClient(Options()) { }

RunnerClient::RunnerClient(Options options)
    : m_options(std::move(options)),
      m_leftovers(m_options.stateFolder.isEmpty() ? WorkerStateFile::Leftovers()
                                                  : WorkerStateFile::takeOver(m_options.stateFolder)),
      m_stateFile(runFileIn(m_options.stateFolder)), m_lease(std::make_unique<SharedLease>())
{
    for (const auto &[file, result] : m_leftovers.results) {
        const RunId runId = ++m_lastRunId;
        KeptHere &kept = m_kept[runId] = {.result = result, .resultIndex = std::nullopt, .file = file};
        kept.result.outcome.runId = runId;
    }
}

RunnerClient::~RunnerClient()
{
    const bool clean = !m_process || m_process->end();
    m_process.reset();
    if (!clean || std::any_of(m_kept.begin(), m_kept.end(), [](const auto &one) {
            return one.second.resultIndex.has_value();
        }))
        m_stateFile.keep();
    for (const int lock : m_leftovers.locks)
        ::close(lock);
    failAll(std::move(m_pending), std::make_exception_ptr(RunnerDied("the job runner was shut down")));
}

RunHandle RunnerClient::run(Command command)
{
    const RunId runId = ++m_lastRunId;
    command.runId = runId;
    command.resultIndex = freeResultIndex();
    command.tag = m_stateFile.tag(runId).toStdString();
    Pending pending{.started = {}, .outcome = {}, .keptClaim = command.keptClaim, .resultIndex = command.resultIndex};
    RunHandle running{runId, pending.started.future(), pending.outcome.future()};
    std::string message = encode(command);
    const std::string refused = objection(command, message);
    if (!refused.empty()) {
        const std::chrono::milliseconds now(QDateTime::currentMSecsSinceEpoch());
        pending.started.set(std::nullopt);
        pending.outcome.set({.runId = runId,
                             .how = How::FailedToStart,
                             .exitCode = 126,
                             .reason = refused,
                             .startedAt = now,
                             .finishedAt = now});
        return running;
    }
    try {
        process().send(std::move(message));
        m_pending.emplace(runId, std::move(pending));
    } catch (const RunnerDied &error) {
        const auto none = std::make_exception_ptr(NoRunner(error.what()));
        pending.started.fail(none);
        pending.outcome.fail(none);
    }
    return running;
}

void RunnerClient::signal(RunId runId, int number)
{
    send(runId, encode(protocol::Signal{.runId = runId, .number = number}));
}

void RunnerClient::kill(RunId runId, async::Duration grace)
{
    send(runId, encode(protocol::Kill{.runId = runId, .graceNs = grace.count()}));
}

void RunnerClient::recall(RunId runId)
{
    send(runId, encode(protocol::Recall{.runId = runId}));
}

void RunnerClient::killRunner()
{
    if (m_process && m_process->pid() != 0)
        ::kill(m_process->pid(), SIGKILL); // onDied() comes
}

void RunnerClient::send(RunId runId, std::string message)
{
    if (m_process && m_pending.contains(runId))
        m_process->send(std::move(message));
}

void RunnerClient::setLease(async::TimePoint until)
{
    m_lease->set(until);
}

std::vector<KeptResult> RunnerClient::kept() const
{
    std::vector<KeptResult> results;
    for (const auto &[runId, here] : m_kept)
        results.push_back(here.result);
    return results;
}

void RunnerClient::acknowledge(RunId runId)
{
    const auto settled = m_kept.extract(runId);
    if (settled.empty() || settled.mapped().resultIndex)
        return;
    const QString &file = settled.mapped().file;
    if (std::none_of(m_kept.begin(), m_kept.end(), [&](const auto &one) { return one.second.file == file; }))
        WorkerStateFile::remove(file);
}

// The first that belongs neither to a run nor to a result that is kept: there are few.
quint32 RunnerClient::freeResultIndex() const
{
    std::vector<quint32> used;
    for (const auto &[runId, run] : m_pending)
        used.push_back(run.resultIndex);
    for (const auto &[runId, here] : m_kept) {
        if (here.resultIndex)
            used.push_back(*here.resultIndex);
    }
    std::sort(used.begin(), used.end());
    quint32 resultIndex = 0;
    for (const quint32 one : used) {
        if (one > resultIndex)
            break;
        resultIndex = one + 1;
    }
    return resultIndex;
}

pid_t RunnerClient::runnerPid() const
{
    return m_process ? m_process->pid() : 0;
}

RunnerChild &RunnerClient::process()
{
    if (!m_process) {
        QByteArrayList arguments;
        if (m_options.allowSetuid)
            arguments.append(protocol::allowSetuid);
        if (m_options.maxProcesses > 0)
            arguments.append(protocol::maxProcesses + QByteArray::number(m_options.maxProcesses));
        m_process = std::make_unique<RunnerChild>(m_options.program, arguments, m_lease->fd(), m_stateFile.fd(),
                                                  m_options.view);
        connect(m_process.get(), &RunnerChild::received, this, &RunnerClient::onReceived);
        connect(m_process.get(), &RunnerChild::died, this, &RunnerClient::onDied);
    }
    return *m_process;
}

void RunnerClient::onReceived(std::string_view bytes)
{
    std::optional<protocol::Reply> reply = protocol::decodeReply(bytes);
    if (!reply)
        ::kill(m_process->pid(), SIGKILL); // another build's; onDied() fails its runs
    else if (const auto *started = std::get_if<Started>(&*reply))
        onStarted(*started);
    else
        onFinished(std::get<Outcome>(std::move(*reply)));
}

void RunnerClient::onStarted(const Started &message)
{
    const auto found = m_pending.find(message.runId);
    if (found == m_pending.end())
        return;
    // Last: a resumed waiter may destroy this runner.
    found->second.started.set(message);
}

void RunnerClient::onFinished(Outcome outcome)
{
    auto run = m_pending.extract(outcome.runId);
    if (run.empty())
        return;
    if (!run.mapped().started.settled())
        run.mapped().started.set(startedOf(outcome));
    if (!run.mapped().keptClaim.empty() && protocol::isWorthKeeping(outcome.how))
        m_kept.emplace(run.key(), KeptHere{{run.mapped().keptClaim, outcome}, run.mapped().resultIndex});
    run.mapped().outcome.set(std::move(outcome));
}

void RunnerClient::onDied(const QString &reason)
{
    const bool allDead = m_process->ownPids();
    const bool nothingBegan = m_process->startedNoJob();
    m_process.reset();
    PendingRuns lost = std::exchange(m_pending, {});
    // The kernel has killed the jobs themselves with their parent, but not always what they had started.
    QByteArrayList tags;
    for (const auto &[runId, run] : lost) {
        if (allDead || nothingBegan)
            continue;
        tags.append(m_stateFile.tag(runId));
    }
    Q_EMIT died(reason);
    const std::string text = reason.toStdString();
    const auto error =
        nothingBegan ? std::make_exception_ptr(NoRunner(text)) : std::make_exception_ptr(RunnerDied(text));
    if (tags.isEmpty())
        failAll(std::move(lost), error);
    else
        failOnceKilled(std::move(lost), std::move(tags), error);
}

// Its jobs may be run again at once, here or elsewhere: not beside what is left of them.
void RunnerClient::failOnceKilled(PendingRuns runs, QByteArrayList tags, const std::exception_ptr &error)
{
    const auto lost = std::make_shared<PendingRuns>(std::move(runs));
    const auto fail = [lost, error] { failAll(std::move(*lost), error); };
    async::Threads::all().run([tags = std::move(tags), fail] {
        WorkerStateFile::killTagged(tags);
        QMetaObject::invokeMethod(QCoreApplication::instance(), fail, Qt::QueuedConnection);
    });
}

void RunnerClient::failAll(PendingRuns runs, const std::exception_ptr &error)
{
    for (auto &[runId, run] : runs) {
        run.started.fail(error);
        run.outcome.fail(error);
    }
}

} // namespace drover::workers
