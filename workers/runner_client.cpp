#include "workers/runner_client.h"

#include "workers/runner_process.h"
#include "workers/runner_protocol.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QStringList>
#include <QThreadPool>

#include <algorithm>
#include <system_error>

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace drover::workers {

struct ProcessRunner::Pending {
    async::Promise<std::optional<Started>> started;
    async::Promise<Outcome> outcome;
    QByteArray note;
    quint32 slot;
};

// The word of memory that every runner of ours maps.
class ProcessRunner::SharedLease
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

QString fromBytes(const std::string &bytes)
{
    return QString::fromUtf8(bytes.data(), qsizetype(bytes.size()));
}

std::vector<std::string> toStrings(const QList<QByteArray> &list)
{
    std::vector<std::string> strings;
    strings.reserve(std::size_t(list.size()));
    for (const QByteArray &bytes : list)
        strings.push_back(bytes.toStdString());
    return strings;
}

protocol::Start toMessage(Token token, quint32 slot, const Command &command, const QByteArray &mark)
{
    const auto path = [](const QString &name) { return QFile::encodeName(name).toStdString(); };
    std::vector<std::uint64_t> limits;
    for (const jobs::ResourceLimit &limit : command.limits) {
        limits.push_back(std::uint64_t(limit.resource));
        limits.push_back(limit.value == jobs::ResourceLimit::Unlimited ? RLIM_INFINITY : std::uint64_t(limit.value));
    }
    return {.token = token,
            .lane = command.lane,
            .arguments = toStrings(command.arguments),
            .environment = toStrings(command.environment),
            .mark = mark.toStdString(),
            .directory = path(command.directory),
            .input = path(command.input),
            .output = path(command.output),
            .error = path(command.error),
            .outputCopy = path(command.outputCopy),
            .errorCopy = path(command.errorCopy),
            .note = command.note.toStdString(),
            .slot = slot,
            .outputCap = command.outputCap,
            .memory = std::int64_t(command.memory),
            .limits = limits,
            .limitNs = command.timeLimit.count(),
            .graceNs = command.grace.count()};
}

Outcome toOutcome(protocol::Finished message)
{
    return {.how = message.how,
            .exitCode = message.exitCode,
            .signal = message.signal,
            .began = message.pid != 0,
            .reason = fromBytes(message.reason),
            .startedAt = std::chrono::milliseconds(message.startedMs),
            .finishedAt = std::chrono::milliseconds(message.finishedMs),
            .outOfMemory = message.outOfMemory,
            .elapsed = async::Duration(message.elapsedNs),
            .cpu = async::Duration(message.cpuNs),
            .peakBytes = message.peakBytes,
            .outputBytes = message.outputBytes,
            .errorBytes = message.errorBytes,
            .outputTruncated = message.outputTruncated,
            .errorTruncated = message.errorTruncated,
            .tail = QByteArray(message.tail.data(), qsizetype(message.tail.size()))};
}

// Of a message of either kind that tells it.
std::optional<Started> startedOf(const auto &message)
{
    if (message.pid == 0)
        return std::nullopt;
    return Started{.pid = message.pid, .at = std::chrono::milliseconds(message.startedMs)};
}

RunFile runFileIn(const QString &folder)
{
    return folder.isEmpty() ? RunFile() : RunFile(folder);
}

bool hasNul(const Command &command)
{
    const auto inBytes = [](const QByteArray &bytes) { return bytes.contains('\0'); };
    return std::any_of(command.arguments.begin(), command.arguments.end(), inBytes)
        || std::any_of(command.environment.begin(), command.environment.end(), inBytes)
        || (command.directory + command.input + command.output + command.error + command.outputCopy + command.errorCopy)
               .contains(QChar(u'\0'));
}

// Why no runner can run this; empty: it can be tried.
QString objection(const Command &command, const std::string &message)
{
    if (command.arguments.isEmpty())
        return QStringLiteral("the command is empty");
    if (hasNul(command))
        return QStringLiteral("a NUL character in the command, its environment or a path");
    if (message.size() > protocol::maxMessage) {
        return QStringLiteral("the command and its environment take %1 bytes, at most %2 are possible")
            .arg(message.size())
            .arg(protocol::maxMessage);
    }
    return {};
}

} // namespace

QString ProcessRunner::findProgram()
{
    const QString own = QCoreApplication::applicationDirPath();
    const QStringList folders{qEnvironmentVariable("DROVER_BIN_DIR", own), own, own + u"/../libexec/drover"_qs};
    for (const QString &folder : folders) {
        const QString program = folder + u"/drover-runner"_qs;
        if (QFileInfo(program).isExecutable())
            return program;
    }
    return own + u"/drover-runner"_qs; // its absence is told when it is started
}

ProcessRunner::ProcessRunner() : ProcessRunner(Options()) { }

ProcessRunner::ProcessRunner(Options options)
    : m_options(std::move(options)),
      m_estate(m_options.stateFolder.isEmpty() ? RunFile::Estate() : RunFile::takeOver(m_options.stateFolder)),
      m_run(runFileIn(m_options.stateFolder)), m_lease(std::make_unique<SharedLease>())
{
    for (const auto &[file, result] : m_estate.results) {
        const Token token = ++m_lastToken;
        m_kept.emplace(token,
                       KeptHere{.kept = {token, QByteArray::fromStdString(result.note), toOutcome(result.finished)},
                                .slot = std::nullopt,
                                .file = file});
    }
}

ProcessRunner::~ProcessRunner()
{
    const bool clean = !m_process || m_process->end();
    m_process.reset();
    if (!clean
        || std::any_of(m_kept.begin(), m_kept.end(), [](const auto &one) { return one.second.slot.has_value(); }))
        m_run.keep();
    for (const int lock : m_estate.locks)
        ::close(lock);
    failAll(std::move(m_pending), std::make_exception_ptr(RunnerDied("the job runner was shut down")));
}

Running ProcessRunner::run(Command command)
{
    const Token token = ++m_lastToken;
    Pending pending{.started = {}, .outcome = {}, .note = command.note, .slot = freeSlot()};
    Running running{token, pending.started.future(), pending.outcome.future()};
    std::string message = encode(toMessage(token, pending.slot, command, m_run.mark(token)));
    const QString refused = objection(command, message);
    if (!refused.isEmpty()) {
        const std::chrono::milliseconds now(QDateTime::currentMSecsSinceEpoch());
        pending.started.set(std::nullopt);
        pending.outcome.set({.how = How::FailedToStart,
                             .exitCode = 126,
                             .began = false,
                             .reason = refused,
                             .startedAt = now,
                             .finishedAt = now});
        return running;
    }
    try {
        process().send(std::move(message));
        m_pending.emplace(token, std::move(pending));
    } catch (const RunnerDied &error) {
        const auto none = std::make_exception_ptr(NoRunner(error.what()));
        pending.started.fail(none);
        pending.outcome.fail(none);
    }
    return running;
}

void ProcessRunner::signal(Token token, int number)
{
    send(token, encode(protocol::Signal{.token = token, .number = number}));
}

void ProcessRunner::kill(Token token, async::Duration grace)
{
    send(token, encode(protocol::Kill{.token = token, .graceNs = grace.count()}));
}

void ProcessRunner::recall(Token token)
{
    send(token, encode(protocol::Recall{.token = token}));
}

void ProcessRunner::killRunner()
{
    if (m_process && m_process->pid() != 0)
        ::kill(m_process->pid(), SIGKILL); // onDied() comes
}

void ProcessRunner::send(Token token, std::string message)
{
    if (m_process && m_pending.contains(token))
        m_process->send(std::move(message));
}

void ProcessRunner::setLease(async::TimePoint until)
{
    m_lease->set(until);
}

std::vector<KeptRun> ProcessRunner::kept() const
{
    std::vector<KeptRun> results;
    for (const auto &[token, here] : m_kept)
        results.push_back(here.kept);
    return results;
}

void ProcessRunner::settle(Token token)
{
    const auto settled = m_kept.extract(token);
    if (settled.empty() || settled.mapped().slot)
        return;
    const QString &file = settled.mapped().file;
    if (std::none_of(m_kept.begin(), m_kept.end(), [&](const auto &one) { return one.second.file == file; }))
        RunFile::bury(file);
}

// The first that belongs neither to a run nor to a result that is kept: there are few.
quint32 ProcessRunner::freeSlot() const
{
    std::vector<quint32> used;
    for (const auto &[token, run] : m_pending)
        used.push_back(run.slot);
    for (const auto &[token, here] : m_kept) {
        if (here.slot)
            used.push_back(*here.slot);
    }
    std::sort(used.begin(), used.end());
    quint32 slot = 0;
    for (const quint32 one : used) {
        if (one > slot)
            break;
        slot = one + 1;
    }
    return slot;
}

pid_t ProcessRunner::runnerPid() const
{
    return m_process ? m_process->pid() : 0;
}

RunnerProcess &ProcessRunner::process()
{
    if (!m_process) {
        m_process = std::make_unique<RunnerProcess>(m_options.program, m_lease->fd(), m_run.fd(), m_options.view);
        connect(m_process.get(), &RunnerProcess::received, this, &ProcessRunner::onReceived);
        connect(m_process.get(), &RunnerProcess::died, this, &ProcessRunner::onDied);
    }
    return *m_process;
}

void ProcessRunner::onReceived(std::string_view bytes)
{
    std::optional<protocol::Reply> reply = protocol::decodeReply(bytes);
    if (!reply)
        ::kill(m_process->pid(), SIGKILL); // another build's: onDied() tells whom it concerns
    else if (const auto *started = std::get_if<protocol::Started>(&*reply))
        onStarted(*started);
    else
        onFinished(std::get<protocol::Finished>(std::move(*reply)));
}

void ProcessRunner::onStarted(const protocol::Started &message)
{
    const auto found = m_pending.find(message.token);
    if (found == m_pending.end())
        return;
    // Last: whoever waits may destroy this runner.
    found->second.started.set(startedOf(message));
}

void ProcessRunner::onFinished(protocol::Finished message)
{
    auto run = m_pending.extract(message.token);
    if (run.empty())
        return;
    if (!run.mapped().started.settled())
        run.mapped().started.set(startedOf(message));
    Outcome outcome = toOutcome(std::move(message));
    if (!run.mapped().note.isEmpty() && protocol::isWorthKeeping(outcome.how))
        m_kept.emplace(run.key(), KeptHere{{run.key(), run.mapped().note, outcome}, run.mapped().slot});
    run.mapped().outcome.set(std::move(outcome));
}

void ProcessRunner::onDied(const QString &reason)
{
    const bool allDead = m_process->ownPids();
    const bool nothingBegan = m_process->servedNobody();
    m_process.reset();
    PendingRuns lost = std::exchange(m_pending, {});
    // The kernel has killed the jobs themselves with their parent, but not always what they had started.
    QByteArrayList marks;
    for (const auto &[token, run] : lost) {
        if (allDead || nothingBegan)
            continue;
        marks.append(m_run.mark(token));
    }
    Q_EMIT died(reason);
    const std::string text = reason.toStdString();
    const auto error =
        nothingBegan ? std::make_exception_ptr(NoRunner(text)) : std::make_exception_ptr(RunnerDied(text));
    if (marks.isEmpty())
        failAll(std::move(lost), error);
    else
        failOnceKilled(std::move(lost), std::move(marks), error);
}

// Its jobs may be run again at once, here or elsewhere: not beside what is left of them.
void ProcessRunner::failOnceKilled(PendingRuns runs, QByteArrayList marks, const std::exception_ptr &error)
{
    const auto lost = std::make_shared<PendingRuns>(std::move(runs));
    const auto fail = [lost, error] { failAll(std::move(*lost), error); };
    QThreadPool::globalInstance()->start([marks = std::move(marks), fail] {
        RunFile::killMarked(marks);
        QMetaObject::invokeMethod(QCoreApplication::instance(), fail, Qt::QueuedConnection);
    });
}

void ProcessRunner::failAll(PendingRuns runs, const std::exception_ptr &error)
{
    for (auto &[token, run] : runs) {
        run.started.fail(error);
        run.outcome.fail(error);
    }
}

} // namespace drover::workers
