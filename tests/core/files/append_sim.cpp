#include "core/files/append_sim.h"

#include "core/files/record_text.h"
#include "files/file_log.h"
#include "recipes/blocks/line.h"
#include "support/strip_fences.h"

#include <QFile>
#include <QFileInfo>

#include <sys/resource.h>

namespace drover::test {

using namespace std::chrono_literals;
using files::FileRecord;
using files::FileStore;
using files::Ledger;
using files::SharedFile;

namespace {

QByteArray readAll(const QString &name)
{
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Syncing costs nothing there, and a schedule syncs hundreds of times.
QString fastestFolder()
{
    const QFileInfo memory(QStringLiteral("/dev/shm"));
    return (memory.isDir() && memory.isWritable() ? memory.filePath() : QDir::tempPath())
        + QStringLiteral("/drover-append-XXXXXX");
}

} // namespace

// Members are destroyed from the last: the life ends before the file and the session it uses.
struct AppendSim::Process {
    explicit Process(VirtualLoop &world) : loop(world) { }

    std::shared_ptr<bool> dead = std::make_shared<bool>(false);
    ProcessLoop loop;
    std::unique_ptr<FakeSession> session;
    std::unique_ptr<SharedFile> file;
    async::TaskGroup life;
};

AppendSim::AppendSim(Options options)
    : m_options(options), m_random(options.seed), m_directory(fastestFolder()),
      m_path(m_directory.path() + QStringLiteral("/report")), m_faults([&] {
          FaultPlan plan = FaultPlan::everything(options.seed, options.faults);
          plan.expire *= 3; // the server ends sessions whose owners do not know it: zombies
          return plan;
      }())
{
}

AppendSim::~AppendSim() = default;

async::Duration AppendSim::some(async::Duration longest)
{
    return std::chrono::duration_cast<async::Duration>(longest * m_random.unit());
}

std::unique_ptr<AppendSim::Process> AppendSim::makeProcess(int)
{
    auto process = std::make_unique<Process>(m_world);
    Process *const self = process.get();
    self->loop.setPool([this, self](const std::function<void()> &work) { doWork(*self, work); });
    return process;
}

// Work in the pool takes its time, sometimes longer than a session lives. What a dead process had under way is done or
// is not.
void AppendSim::doWork(Process &process, const std::function<void()> &work)
{
    const bool late = m_random.chance(0.03);
    const bool survives = m_random.chance(0.5);
    m_world.at(m_world.now() + some(late ? 20s : 3ms), [this, late, survives, dead = process.dead, work] {
        if (*dead && !survives)
            return;
        m_late += late || *dead;
        if (m_meddling && m_random.chance(0.05))
            workOnFullStorage(work);
        else
            work();
    });
}

// Some bytes still fit, and then none.
void AppendSim::workOnFullStorage(const std::function<void()> &work)
{
    ::rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    ::rlimit full = before;
    full.rlim_cur = static_cast<rlim_t>(QFileInfo(m_path).size() + m_random.below(100));
    ::setrlimit(RLIMIT_FSIZE, &full);
    work();
    ::setrlimit(RLIMIT_FSIZE, &before);
}

async::Task<void> AppendSim::live(Process &self, int index)
{
    for (;;) {
        FakeSessionOptions options;
        options.sessionTimeout = 4s;
        options.latency = 1ms;
        options.faults = &m_faults;
        if (!m_options.fenced)
            options.sabotage = stripFences;
        self.session = m_server.connect(self.loop, options);
        try {
            co_await self.session->connected();
            std::unique_ptr<SharedFile> file = co_await SharedFile::open(*self.session, m_layout, m_path, "sim");
            self.file = std::move(file);
            async::TaskGroup streams([this](const std::exception_ptr &error) { noteTrouble(error); });
            for (int stream = 0; stream < m_options.streams; ++stream)
                streams.spawn(appendAll(*self.file, index, stream));
            co_await streams.drained();
        } catch (const zk::Error &) {
        }
        if (self.file)
            m_deposed += self.file->deposed();
        self.file.reset();
        co_await async::sleepFor(self.loop, 100ms);
    }
}

async::Task<void> AppendSim::appendAll(SharedFile &file, int process, int stream)
{
    int &next = m_next[{process, stream}];
    while (next < m_options.records) {
        const QByteArray key =
            QByteArray::number(process) + '-' + QByteArray::number(stream) + '-' + QByteArray::number(next);
        const async::Duration pause = some(1s);
        try {
            const SharedFile::Appended appended = co_await file.append(key, recordText(key));
            if (!appended.sameBytes)
                throw std::logic_error("another record has this key");
            m_acknowledged.insert(key);
            ++next;
            continue;
        } catch (const files::AppendUnsettled &) {
            ++m_unsettled;
        } catch (const files::FileError &) { // as a job fails
            m_refused.insert(key);
            ++next;
            continue;
        }
        co_await async::sleepFor(m_processes[static_cast<std::size_t>(process)]->loop, pause);
    }
}

// A lost session is not trouble, because the process begins another life. A refusal is trouble, because no other
// program writes to the file.
void AppendSim::noteTrouble(const std::exception_ptr &error)
{
    try {
        std::rethrow_exception(error);
    } catch (const zk::Error &) {
    } catch (const std::exception &e) {
        m_trouble = QString::fromUtf8(e.what());
    }
}

void AppendSim::startProcess(int index)
{
    auto &slot = m_processes[static_cast<std::size_t>(index)];
    slot = makeProcess(index);
    slot->life.spawn(live(*slot, index));
}

void AppendSim::killSome()
{
    if (m_killings-- <= 0)
        return;
    const int index = m_random.below(m_options.processes);
    auto &victim = m_processes[static_cast<std::size_t>(index)];
    if (victim) {
        *victim->dead = true;
        if (victim->session)
            victim->session->crash();
        victim->life.cancelAll();
        if (victim->file)
            m_deposed += victim->file->deposed();
        victim->file.reset();
        victim.reset();
        tearPending();
        m_world.at(m_world.now() + some(5s), [this, index] { startProcess(index); });
    }
    m_world.at(m_world.now() + some(2s), [this] { killSome(); });
}

// By hand: the holder's session lives on, and the holder with it.
async::Task<void> AppendSim::deleteSome(zk::Client &zk)
{
    const zk::Path lock = m_layout.file(FileStore::canonicalPath(m_path)) / "lock";
    while (m_meddling) {
        co_await async::sleepFor(m_meddlerLoop, some(1s));
        const zk::Answer<zk::Children> children = co_await zk.children(lock);
        const QByteArrayList line = recipes::sortedBySequence(children->names);
        if (!line.isEmpty())
            zk.discard(lock / line.front());
    }
}

// What a process has written of the pending records when it dies in the middle: a part of the bytes that are missing.
void AppendSim::tearPending()
{
    const std::optional<Ledger> state = ledger();
    if (!state || state->pending.empty() || !state->pending.front().payload.spool.isEmpty())
        return;
    const FileRecord &record = state->pending.front().record;
    const QByteArray bytes = state->pending.front().payload.bytes.left(m_random.below(100));
    QFile file(m_path);
    if (file.size() != record.offset || !file.open(QIODevice::ReadWrite) || !file.seek(record.offset))
        return;
    m_torn += file.write(bytes) > 0;
}

std::optional<Ledger> AppendSim::ledger() const
{
    const FakeTree::Znode *node = m_server.tree().find(m_layout.file(FileStore::canonicalPath(m_path)) / "meta");
    return node ? std::optional(Ledger::decode(node->data)) : std::nullopt;
}

QString AppendSim::run()
{
    m_processes.resize(static_cast<std::size_t>(m_options.processes));
    for (int i = 0; i < m_options.processes; ++i)
        startProcess(i);
    m_killings = m_random.below(4);
    m_world.at(m_world.now() + some(1s), [this] { killSome(); });
    m_meddlerSession = m_server.connect(m_meddlerLoop, {.latency = 1ms});
    m_manualDeleter.spawn(deleteSome(*m_meddlerSession));
    const auto total = static_cast<std::size_t>(m_options.processes * m_options.streams * m_options.records);
    const auto allAcknowledged = [&] { return m_acknowledged.size() + m_refused.size() == total; };
    m_world.runUntil([&] { return allAcknowledged() || !m_trouble.isEmpty(); }, 5min);
    m_faults.heal();
    m_meddling = false;
    const bool ended = m_world.runUntil([&] { return allAcknowledged() || !m_trouble.isEmpty(); }, 10min);
    if (!m_trouble.isEmpty())
        return m_trouble;
    if (!ended)
        return QStringLiteral("only %1 of %2 records were ever acknowledged").arg(m_acknowledged.size()).arg(total);
    m_world.runFor(1min); // zombies' late writes
    return inspect();
}

// Invariant 7: the file is the concatenation of its committed records, each whole, each once, no other byte. Read from
// the file alone, then from the ledger.
QString AppendSim::inspect() const
{
    const QByteArray content = readAll(m_path);
    std::set<QByteArray> seen;
    const QString wrong = readRecords(content, seen);
    if (!wrong.isEmpty())
        return wrong;
    if (seen != m_acknowledged)
        return QStringLiteral("%1 records were acknowledged, %2 are there").arg(m_acknowledged.size()).arg(seen.size());
    const std::optional<Ledger> state = ledger();
    if (!state || !state->pending.empty() || state->committed != content.size()
        || state->records != static_cast<qint64>(seen.size()))
        return QStringLiteral("the ledger does not have what the file has");
    return compare(FileStore(FileStore::canonicalPath(m_path)), *state).faults.join(u'\n');
}

} // namespace drover::test
