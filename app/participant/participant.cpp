#include "app/participant/participant.h"

#include "async/offload.h"
#include "posix/file_descriptor.h"
#include "recipes/barriers/double_barrier.h"
#include "recipes/elections/leader_latch.h"
#include "recipes/elections/log_election.h"
#include "recipes/elections/master.h"
#include "recipes/locks/mutex.h"
#include "recipes/locks/read_write_lock.h"
#include "recipes/locks/simple_lock.h"
#include "recipes/queues/locking_queue.h"
#include "recipes/queues/queue.h"

#include <QFile>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace drover::app {

using namespace std::chrono_literals;
using recipes::Leadership;

namespace {

constexpr char QueueName[] = "queue"; // beside it the queue makes a directory for its takers
constexpr int ItemsOfAnOffer = 2;
constexpr auto PartPause = 120ms; // a record takes a second: long enough to be paused in its middle

const char *nameOf(zk::Client::State state)
{
    static constexpr const char *Names[] = {"connecting", "connected", "suspended", "lost"};
    return Names[static_cast<int>(state)];
}

template <typename Lock>
recipes::Lockable &keep(std::shared_ptr<void> &owner, std::shared_ptr<Lock> lock)
{
    owner = lock;
    return *lock;
}

QByteArrayList itemsOf(const QByteArray &name)
{
    QByteArrayList items;
    for (int i = 1; i <= ItemsOfAnOffer; ++i)
        items.append(name + '-' + QByteArray::number(i));
    return items;
}

void check(bool good, const char *what)
{
    if (!good)
        throw std::system_error(errno, std::generic_category(), what);
}

// Of all lines; 0 without any.
qint64 highestToken(const QString &name)
{
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    qint64 highest = 0;
    while (!file.atEnd())
        highest = std::max(highest, file.readLine().split(' ').first().toLongLong());
    return highest;
}

// Storage that is shared by the holders of a lock: a file of lines "TOKEN NAME RECORD PART". A record has Parts lines.
// With a fence it refuses a line whose token is lower than that of a line before it; without one it takes all.
class RecordFile
{
public:
    static constexpr int Parts = 8;

    RecordFile(QString file, bool isFenced) : m_file(std::move(file)), m_isFenced(isFenced) { }

    // Returns false if the line was refused. It blocks. Throws std::runtime_error.
    bool append(qint64 token, const QByteArray &name, int record, int part) const
    {
        const posix::FileDescriptor file(
            ::open(QFile::encodeName(m_file).constData(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
        check(bool(file), "cannot open the shared file");
        check(::flock(file.get(), LOCK_EX) == 0, "cannot lock the shared file"); // until it is closed
        if (m_isFenced && token < highestToken(m_file))
            return false;
        const QByteArray line = QByteArray::number(token) + ' ' + name + ' ' + QByteArray::number(record) + ' '
            + QByteArray::number(part) + '\n';
        check(::write(file.get(), line.constData(), std::size_t(line.size())) == line.size(),
              "cannot write to the shared file");
        return true;
    }

private:
    QString m_file;
    bool m_isFenced;
};

} // namespace

// A lock, an election, a barrier or a queue.
struct Participant::Recipe {
    std::shared_ptr<void> owner;
    recipes::Lockable *lock = nullptr;
    std::function<async::Task<Leadership>()> campaign;
    std::unique_ptr<recipes::DoubleBarrier> barrier;
    std::unique_ptr<recipes::Queue> queue;
    std::unique_ptr<recipes::LockingQueue> lockingQueue;
    bool isProducer = false; // of that queue's items

    Recipe(zk::Client &zk, const ParticipantOptions &options)
    {
        const zk::Path &directory = options.directory;
        if (options.recipe == u"slow") {
            lock = &keep(owner, std::make_shared<recipes::SimpleLock>(zk, directory / "held"));
        } else if (options.recipe == u"ticket") {
            lock = &keep(owner, std::make_shared<recipes::Mutex>(zk, directory));
        } else if (options.recipe == u"read" || options.recipe == u"write") {
            const auto both = std::make_shared<recipes::ReadWriteLock>(zk, directory);
            owner = both;
            lock = options.recipe == u"read" ? &both->reader() : &both->writer();
        } else if (options.recipe == u"master") {
            const auto master = std::make_shared<recipes::Master>(zk, directory / "master");
            campaign = [master, name = options.name] { return master->campaign(name); };
        } else if (options.recipe == u"latch") {
            const auto latch = std::make_shared<recipes::LeaderLatch>(zk, directory);
            campaign = [latch, name = options.name] { return latch->campaign(name); };
        } else if (options.recipe == u"log") {
            const auto election = std::make_shared<recipes::LogElection>(zk, directory, options.replicas);
            campaign = [election, name = options.name, last = options.last] {
                return election->campaign(name, [last] { return last; });
            };
        } else if (options.recipe == u"barrier") {
            constexpr int Members = 4;
            barrier = std::make_unique<recipes::DoubleBarrier>(zk, directory, Members);
        } else {
            makeQueue(zk, options);
        }
    }

    void makeQueue(zk::Client &zk, const ParticipantOptions &options)
    {
        const zk::Path &directory = options.directory;
        if (options.recipe == u"offer" || options.recipe == u"take") {
            queue = std::make_unique<recipes::Queue>(zk, directory / QueueName);
        } else if (options.recipe == u"put" || options.recipe == u"claim") {
            lockingQueue = std::make_unique<recipes::LockingQueue>(zk, directory);
        } else {
            throw std::invalid_argument("no such recipe");
        }
        isProducer = options.recipe == u"offer" || options.recipe == u"put";
    }
};

QStringList Participant::knownRecipes()
{
    return {QStringLiteral("slow"),   QStringLiteral("ticket"), QStringLiteral("read"),    QStringLiteral("write"),
            QStringLiteral("master"), QStringLiteral("latch"),  QStringLiteral("barrier"), QStringLiteral("log"),
            QStringLiteral("offer"),  QStringLiteral("put"),    QStringLiteral("take"),    QStringLiteral("claim")};
}

Participant::Participant(async::Loop &loop, ParticipantOptions options, Say say)
    : m_loop(loop), m_options(std::move(options)), m_say(std::move(say)), m_relay(m_options.port, 0ns),
      m_session(loop,
                {.servers = QStringLiteral("127.0.0.1:%1").arg(m_relay.port()), .timeout = m_options.sessionTimeout}),
      m_client(m_session,
               {[this](const ObservedClient::Asked &asked) {
                    m_say({{QStringLiteral("event"), QStringLiteral("request")},
                           {QStringLiteral("op"), QString::fromLatin1(asked.operation)},
                           {QStringLiteral("path"), asked.path.toString()},
                           {QStringLiteral("watch"), asked.watches}});
                },
                [this](const ObservedClient::Asked &asked, zk::Code code) {
                    m_say({{QStringLiteral("event"), QStringLiteral("answer")},
                           {QStringLiteral("op"), QString::fromLatin1(asked.operation)},
                           {QStringLiteral("path"), asked.path.toString()},
                           {QStringLiteral("ok"), code == zk::Code::Ok}});
                },
                [this](const zk::WatchEvent &event) {
                    m_say({{QStringLiteral("event"), QStringLiteral("wake")},
                           {QStringLiteral("path"), event.path.toString()}});
                }}),
      m_recipe(std::make_unique<Recipe>(m_client, m_options))
{
    QObject::connect(&m_client, &zk::Client::stateChanged, [this] { sayConnection(); });
}

Participant::~Participant() = default;

void Participant::sayPhase(const char *phase)
{
    QJsonObject said{{QStringLiteral("event"), QStringLiteral("phase")},
                     {QStringLiteral("phase"), QLatin1String(phase)}};
    if (m_attempt > 0)
        said.insert(QStringLiteral("attempt"), m_attempt);
    m_say(said);
}

void Participant::sayConnection()
{
    m_say({{QStringLiteral("event"), QStringLiteral("connection")},
           {QStringLiteral("state"), QLatin1String(nameOf(m_client.state()))},
           {QStringLiteral("session"), QStringLiteral("0x") + QString::number(m_client.sessionId(), 16)}});
    if (m_client.state() == zk::Client::State::Lost)
        m_release.set(); // it holds nothing any more
}

void Participant::obey(const QByteArray &command)
{
    if (command == "acquire")
        m_acquire.set();
    else if (command == "release")
        m_release.set();
    else if (command == "disconnect") {
        m_relay.refuse();
        m_relay.dropConnections();
    } else if (command == "reconnect") {
        m_relay.resume();
    }
}

async::Task<void> Participant::run()
{
    try {
        m_session.open();
        co_await m_client.connected();
        while (m_client.state() != zk::Client::State::Lost) {
            m_acquire.reset();
            sayPhase(m_recipe->isProducer ? "offering" : "asking");
            co_await hold();
            if (m_client.state() == zk::Client::State::Lost)
                break;
            sayPhase(m_recipe->isProducer ? "offered" : "idle");
            co_await async::untilSet(m_acquire);
        }
    } catch (const zk::SessionLost &) {
    }
    sayPhase("lost");
}

async::Task<void> Participant::hold()
{
    if (m_recipe->lock) {
        recipes::Lock lock = co_await m_recipe->lock->acquire(m_options.name);
        const recipes::Fence fence = lock.fence();
        co_await work(fence.czxid);
        lock.release();
        co_return;
    }
    if (m_recipe->barrier) {
        recipes::BarrierEntry entry = co_await m_recipe->barrier->enter(m_options.name);
        const recipes::Fence fence = entry.fence();
        co_await work(fence.czxid);
        sayPhase("leaving");
        co_await entry.leave();
        co_return;
    }
    if (m_recipe->queue || m_recipe->lockingQueue) {
        co_await passItems();
        co_return;
    }
    Leadership leadership = co_await m_recipe->campaign();
    const recipes::Fence fence = leadership.fence();
    co_await work(fence.czxid);
    leadership.resign();
}

// Offers some items, or takes one. One that is claimed is deleted when the work on it is done.
async::Task<void> Participant::passItems()
{
    QByteArrayList items = itemsOf(m_options.name);
    if (m_recipe->isProducer && m_recipe->queue) {
        co_await m_recipe->queue->offerAll(std::move(items));
    } else if (m_recipe->isProducer) {
        co_await m_recipe->lockingQueue->putAll(std::move(items));
    } else if (m_recipe->queue) {
        const QByteArray item = co_await m_recipe->queue->take();
        co_await work(0);
    } else {
        recipes::ClaimedItem item = co_await m_recipe->lockingQueue->get();
        const recipes::Fence fence = item.fence();
        m_attempt = item.attempt();
        co_await work(fence.czxid);
        co_await item.consume();
        m_attempt = 0;
    }
}

async::Task<void> Participant::work(qint64 token)
{
    m_release.reset();
    if (m_client.state() == zk::Client::State::Lost)
        co_return;
    sayPhase("holding");
    if (m_options.file.isEmpty())
        co_await async::untilSet(m_release);
    while (!m_release.isSet())
        co_await writeRecord(token);
}

async::Task<void> Participant::writeRecord(qint64 token)
{
    const int record = ++m_records;
    for (int part = 1; part <= RecordFile::Parts; ++part) {
        const std::function<bool()> write = [file = RecordFile(m_options.file, m_options.isFenced), token,
                                             name = m_options.name, record,
                                             part] { return file.append(token, name, record, part); };
        const bool taken = co_await async::offload(m_loop, write);
        m_say({{QStringLiteral("event"), QStringLiteral("write")}, {QStringLiteral("taken"), taken}});
        if (!taken) {
            m_release.set(); // a later holder has written already
            co_return;
        }
        if (part < RecordFile::Parts) // so a pause is hardly ever between two records
            co_await async::sleepFor(m_loop, PartPause);
    }
}

} // namespace drover::app
