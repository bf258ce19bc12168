#include "gui/sample_cluster.h"

#include "jobs/client/submitter.h"
#include "jobs/model/worker_info.h"

#include <QDateTime>

namespace drover::test {

using jobs::FinalRecord;
using jobs::JobId;
using jobs::JobSpec;

namespace {

std::chrono::milliseconds ago(std::chrono::seconds time)
{
    return std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch()) - time;
}

QString workerOf(int number)
{
    return QStringLiteral("worker-%1").arg(1 + number % 3);
}

} // namespace

JobSpec SampleCluster::spec(const QStringList &command, const QByteArray &queue)
{
    JobSpec spec;
    spec.command = command;
    spec.queue = queue;
    spec.submitter = QStringLiteral("ada@console");
    spec.submittedAt = ago(std::chrono::seconds(95));
    return spec;
}

async::Task<void> SampleCluster::fill()
{
    const QByteArrayList queues{"default", "gpu", "nightly"};
    co_await jobs::ensureCluster(jobs::Cluster(m_zk, m_layout), queues);
    co_await addWorkers();
    const QStringList licences{QStringLiteral("Apache-2.0"), QStringLiteral("Artistic"), QStringLiteral("BSD"),
                               QStringLiteral("CC0-1.0"),    QStringLiteral("GFDL-1.3"), QStringLiteral("GPL-2"),
                               QStringLiteral("GPL-3"),      QStringLiteral("LGPL-2.1"), QStringLiteral("MPL-1.1"),
                               QStringLiteral("MPL-2.0")};
    const QByteArray denied = "wc: cannot read: Permission denied\n";
    const QByteArray killed = "Killed\n";
    for (int i = 0; i < 14; ++i) {
        const QString licence = licences[i % licences.size()];
        JobSpec words =
            spec({QStringLiteral("wc"), QStringLiteral("-w"), QStringLiteral("/usr/share/common-licenses/") + licence});
        words.name = QStringLiteral("words ") + licence;
        const JobId id = co_await addJob(words);
        const QByteArray output =
            QByteArray::number(1581 + 211 * i) + " /usr/share/common-licenses/" + licence.toLatin1() + '\n';
        if (i < 6)
            co_await finish(id, FinalRecord::Outcome::Exited, 0, output);
        else if (i == 6)
            co_await finish(id, FinalRecord::Outcome::Exited, 2, denied);
        else if (i == 7)
            co_await finish(id, FinalRecord::Outcome::Cancelled, 0, QByteArray());
        else if (i < 11)
            co_await claim(id, workerOf(i));
    }
    const QStringList train{QStringLiteral("python3"), QStringLiteral("train.py"), QStringLiteral("--epochs=40"),
                            QStringLiteral("--data=/srv/data set")};
    for (int i = 0; i < 7; ++i) {
        JobSpec model = spec(train, QByteArrayLiteral("gpu"));
        model.name = QStringLiteral("train fold %1").arg(i + 1);
        model.priority = i == 3 ? 1 : 5;
        const JobId id = co_await addJob(model);
        if (i == 0)
            co_await finish(id, FinalRecord::Outcome::Signalled, 9, killed);
        else if (i < 3)
            co_await claim(id, workerOf(1));
    }
    for (int i = 0; i < 3; ++i) {
        const QString table = QStringLiteral("table_%1").arg(i);
        const JobSpec backup =
            spec({QStringLiteral("pg_dump"), QStringLiteral("-t"), table}, QByteArrayLiteral("nightly"));
        co_await addJob(backup);
    }
    const std::vector<std::pair<QByteArray, QByteArrayList>> locks{
        {"report", {"worker-1 job default-8", "worker-3 job default-9", "worker-2 job default-10"}},
        {"migrate-schema", {"ada@console pid 4711"}},
        {"nightly-backup", {}},
    };
    for (const auto &[name, contenders] : locks)
        co_await addLock(name, contenders);
    co_await addMalformed();
}

async::Task<void> SampleCluster::addWorkers()
{
    recipes::Group group(m_zk, m_layout.members());
    for (int i = 1; i <= 3; ++i) {
        jobs::WorkerInfo info;
        info.id = QStringLiteral("worker-%1").arg(i);
        info.host = QStringLiteral("node%1.example").arg(i);
        info.pid = 4000 + 17 * i;
        info.slotCount = i == 2 ? 8 : 4;
        info.queues = i == 2 ? QStringList{QStringLiteral("gpu"), QStringLiteral("default")}
                             : QStringList{QStringLiteral("default"), QStringLiteral("nightly")};
        info.spool = QStringLiteral("/var/spool/drover");
        info.version = QStringLiteral("0.1.0");
        info.startedAt = ago(std::chrono::seconds(600));
        const QByteArray data = info.encode();
        recipes::Membership membership = co_await group.join(info.id.toLatin1(), data);
        m_members.push_back(std::move(membership));
        const QByteArray id = info.id.toLatin1();
        const QByteArray kind = "latch-";
        recipes::Ticket::Taken taken = co_await recipes::Ticket::take(m_zk, m_layout.master(), kind, id);
        m_tickets.push_back(std::move(taken.ticket));
    }
}

async::Task<JobId> SampleCluster::addJob(JobSpec spec)
{
    jobs::Submitter submitter(jobs::Cluster(m_zk, m_layout), {});
    const JobId id = co_await submitter.submit(spec);
    m_specs[id] = spec;
    co_return id;
}

async::Task<void> SampleCluster::claim(JobId id, QString worker)
{
    const JobSpec &spec = m_specs.at(id);
    const jobs::QueueEntry entry{jobs::QueueEntry::Class::Ready, spec.priority, id.number};
    const jobs::Claim claim{worker, {1, 0}, entry.name(), false};
    zk::Transaction transaction;
    transaction.set(m_layout.job(id.queue, entry), spec.encode())
        .create(m_layout.claim(id), claim.encode(), zk::CreateMode::Ephemeral);
    const zk::Answer<zk::Committed> committed = co_await m_zk.commit(transaction);
    committed.require();
}

async::Task<void> SampleCluster::finish(JobId id, FinalRecord::Outcome outcome, int code, QByteArray tail)
{
    const JobSpec &spec = m_specs.at(id);
    const jobs::QueueEntry entry{jobs::QueueEntry::Class::Ready, spec.priority, id.number};
    FinalRecord record = FinalRecord::of(id, spec);
    record.outcome = outcome;
    (outcome == FinalRecord::Outcome::Signalled ? record.signal : record.code) = code;
    record.attempts.claimVersion = 1;
    record.worker = workerOf(id.number);
    record.startedAt = ago(std::chrono::seconds(42));
    record.finishedAt = ago(std::chrono::seconds(40));
    record.cpuTime = std::chrono::milliseconds(1875);
    record.peakMemory = 3 << 20;
    record.outputBytes = tail.size();
    record.tail = tail;
    zk::Transaction transaction;
    transaction.remove(m_layout.job(id.queue, entry)).create(m_layout.done(id), record.encode());
    const zk::Answer<zk::Committed> committed = co_await m_zk.commit(transaction);
    committed.require();
}

async::Task<void> SampleCluster::addLock(QByteArray name, QByteArrayList contenders)
{
    const zk::Path path = m_layout.lock(name);
    const QByteArray kind = "lock-";
    co_await m_zk.ensurePath(path);
    for (const QByteArray &contender : contenders) {
        recipes::Ticket::Taken taken = co_await recipes::Ticket::take(m_zk, path, kind, contender);
        m_tickets.push_back(std::move(taken.ticket));
    }
}

// By a program that knows nothing of us, or by hand.
async::Task<void> SampleCluster::addMalformed()
{
    const std::vector<std::pair<zk::Path, QByteArray>> nodes{
        {m_layout.queue("default") / "q5-0000009999", "not a specification"},
        {m_layout.queue("default") / "notes", "<b>hello</b>"},
        {m_layout.claims() / "nothing", {}},
        {m_layout.done() / "default-7777", QByteArray("\x00\xff\x01", 3)},
        {m_layout.members() / "stranger", "[1, 2"},
        {m_layout.lock("report") / "note-without-number", "hello"},
    };
    for (const auto &[path, data] : nodes) {
        const zk::Answer<zk::Created> created = co_await m_zk.create(path, data);
        created.require();
    }
}

} // namespace drover::test
