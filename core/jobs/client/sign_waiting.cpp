#include "jobs/client/sign_waiting.h"

#include "jobs/cluster/read_nodes.h"
#include "jobs/schedules/schedules.h"
#include "jobs/signing/signer.h"
#include "recipes/blocks/persistent.h"
#include "text/name.h"

#include <QCryptographicHash>

#include <algorithm>

namespace drover::jobs {

using recipes::Persistent;
using zk::Answer;

namespace {

struct Place {
    QByteArray queue;
    QueueEntry entry;

    JobId id() const { return entry.idIn(queue); }
    bool isArray() const { return entry.jobClass == QueueEntry::Class::Array; }
};

struct Found {
    Place place;
    JobRecord record;
    QByteArray stored;
    qint32 version = 0;
};

// With any other certificate it is of a cluster that is no more: one that was to be closed before.
bool isSignedBy(const Cluster &cluster, const JobRecord &record)
{
    return record.isSigned() && cluster.credentials
        && record.certificate == cluster.credentials->ownCertificate().serial;
}

QByteArray hashOf(const QByteArray &text)
{
    return QCryptographicHash::hash(text, QCryptographicHash::Sha256);
}

// What the master makes of a tick is known in advance, word for word.
bool isTickOf(const StoredSchedule &schedule, const JobRecord &record, std::chrono::milliseconds tick)
{
    const JobSpec job = schedule.entry->jobAt(schedule.name, tick);
    return JobRecord::parse(schedule.entry->encodeJob(job)).text == record.text;
}

// Arrays first.
async::Task<std::vector<Found>> readJobs(Cluster cluster)
{
    const Answer<zk::Children> queues = co_await Persistent(cluster.zk).children(cluster.layout.queues());
    std::vector<Place> places;
    for (const QByteArray &queue : queues->names) {
        if (!text::isName(QString::fromUtf8(queue)))
            continue;
        const Answer<zk::Children> names = co_await Persistent(cluster.zk).children(cluster.layout.queue(queue));
        for (const QByteArray &name : names->names) {
            if (const std::optional<QueueEntry> entry = QueueEntry::parse(name))
                places.push_back({queue, *entry});
        }
    }
    std::stable_partition(places.begin(), places.end(), [](const Place &place) { return place.isArray(); });
    std::vector<zk::Path> paths;
    for (const Place &place : places)
        paths.push_back(cluster.layout.job(place.queue, place.entry));
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(cluster.zk, std::move(paths));
    std::vector<Found> jobs;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::optional<JobRecord> record = nodes[i].ok() ? tryParse(nodes[i]->data) : std::nullopt;
        if (record)
            jobs.push_back({places[i], *record, nodes[i]->data, nodes[i]->stat.version});
    }
    co_return jobs;
}

JobSpec specOf(const Found &job)
{
    return JobSpec::decode(job.record, job.place.queue, job.place.entry.priority);
}

QString submitterOf(const Found &job)
{
    try {
        return specOf(job).submitter;
    } catch (const Malformed &) {
        return {};
    }
}

// One look at all jobs, and one try to sign them.
class Pass
{
public:
    Pass(Cluster cluster, const UnsignedWork &agreed) : m_cluster(std::move(cluster)), m_agreed(agreed) { }

    async::Task<void> run()
    {
        const std::vector<Found> jobs = co_await readJobs(m_cluster);
        for (const Found &job : jobs) {
            if (const std::optional<JobRecord> next = signedForm(job))
                co_await write(job, *next);
        }
    }

    qint64 written() const { return m_written; }
    qint64 leftOut() const { return m_leftOut; }
    bool mustLookAgain() const { return m_raced; }

private:
    // Nothing: it is signed, or must not be.
    std::optional<JobRecord> signedForm(const Found &job)
    {
        const JobId id = job.place.id();
        if (isSignedBy(m_cluster, job.record)) {
            if (job.place.isArray())
                m_arrays[id] = job.record;
            return std::nullopt;
        }
        try {
            if (id.isTask())
                return ofArray(job, id);
            if (!isAgreed(job))
                throw Malformed(QStringLiteral("it came after the agreement"));
            JobRecord next = ofItsOwn(job);
            if (job.place.isArray())
                m_arrays[id] = next;
            return next;
        } catch (const Malformed &) {
            ++m_leftOut;
            return std::nullopt;
        }
    }

    bool isAgreed(const Found &job) const
    {
        if (m_agreed.hashes.contains(hashOf(job.record.text)))
            return true;
        const std::chrono::milliseconds tick = specOf(job).submittedAt;
        return std::any_of(m_agreed.schedules.begin(), m_agreed.schedules.end(),
                           [&](const StoredSchedule &schedule) { return isTickOf(schedule, job.record, tick); });
    }

    // The write raises the version by one, as a claim does that never starts.
    static QJsonObject notesOf(const Found &job)
    {
        if (job.place.isArray())
            return job.record.notes().object();
        return changedObject<JobNotes>(job.record.notes(), [](JobNotes &notes) { notes.countPending(); });
    }

    JobRecord ofItsOwn(const Found &job) const
    {
        const auto notes = decodeRecord<JobNotes>(job.record.notes());
        const std::chrono::milliseconds now = m_cluster.zk.loop().wallClock();
        JobRecord next = JobSpec::asNew(job.stored, [&](JobSpec &spec) {
            spec.queue = job.place.queue;
            spec.notes = notes;
            m_signer.setTerms(spec, now);
        });
        next.setNotes(notesOf(job));
        m_signer.sign(next);
        return next;
    }

    // The text and the signature of its array.
    JobRecord ofArray(const Found &job, const JobId &id) const
    {
        const auto array = m_arrays.find({id.queue, id.number});
        if (array == m_arrays.end())
            throw Malformed(QStringLiteral("its array is not signed"));
        JobRecord next = job.record;
        next.text = array->second.text;
        next.signature = array->second.signature;
        next.certificate = array->second.certificate;
        JsonFields notes(notesOf(job));
        next.setNotes(changedObject<JobNotes>(notes, [&id](JobNotes &all) { all.index = id.task; }));
        return next;
    }

    async::Task<void> write(Found job, JobRecord next)
    {
        const zk::Path path = m_cluster.layout.job(job.place.queue, job.place.entry);
        const zk::Path claim = m_cluster.layout.claim(job.place.id());
        zk::Transaction transaction;
        if (!job.place.isArray()) // refused at its first operation if the job is claimed
            transaction.create(claim, {}, zk::CreateMode::Ephemeral).remove(claim);
        transaction.set(path, next.bytes(), job.version);
        const Answer<zk::Committed> committed = co_await Persistent(m_cluster.zk).commit(transaction);
        if (committed.ok())
            ++m_written;
        else if (committed.is(zk::Code::NodeExists))
            ++m_leftOut;
        else
            m_raced = true; // ended, moved, or signed by a write whose reply was lost
    }

    Cluster m_cluster;
    const UnsignedWork &m_agreed;
    const Signer m_signer{m_cluster.credentials};
    std::map<JobId, JobRecord> m_arrays; // signed
    qint64 m_written = 0;
    qint64 m_leftOut = 0;
    bool m_raced = false;
};

} // namespace

async::Task<UnsignedWork> findUnsigned(Cluster cluster)
{
    UnsignedWork work;
    const std::vector<Found> jobs = co_await readJobs(cluster);
    for (const Found &job : jobs) {
        if (isSignedBy(cluster, job.record))
            continue;
        work.hashes.insert(hashOf(job.record.text));
        if (job.place.id().isTask())
            continue;
        ++work.jobs;
        ++work.jobsOf[submitterOf(job)];
    }
    const std::vector<StoredSchedule> schedules = co_await listSchedules(cluster);
    for (const StoredSchedule &stored : schedules) {
        if (stored.entry && !isSignedBy(cluster, stored.entry->signedText))
            work.schedules.push_back(stored);
    }
    co_return work;
}

async::Task<qint64> signSchedules(Cluster cluster, UnsignedWork agreed)
{
    const Signer signer(cluster.credentials);
    co_await ensureCertificate(cluster);
    qint64 count = 0;
    for (const StoredSchedule &listed : agreed.schedules) {
        const QByteArray text = listed.entry->makeText(listed.name);
        bool isDone = false;
        const std::function<void(ScheduleEntry &)> sign = [&](ScheduleEntry &entry) {
            isDone = isSignedBy(cluster, entry.signedText);
            if (isDone || entry.makeText(listed.name) != text)
                return; // replaced since
            signer.setTerms(entry.job, cluster.zk.loop().wallClock());
            entry.signedText.text = entry.makeText(listed.name);
            signer.sign(entry.signedText, trust::Purpose::Schedule);
            isDone = true;
        };
        try {
            co_await editSchedule(cluster, listed.name, AuditAction::CronReplaced, sign);
        } catch (const NotFound &) {
        }
        count += isDone ? 1 : 0;
    }
    co_return count;
}

async::Task<SigningResult> signJobs(Cluster cluster, UnsignedWork agreed)
{
    SigningResult result;
    co_await ensureCertificate(cluster);
    for (;;) {
        co_await cluster.zk.ensurePath(cluster.layout.claims()); // a write proves there that no worker has the job
        Pass pass(cluster, agreed);
        co_await pass.run();
        result.jobs += pass.written();
        result.leftOut = pass.leftOut();
        if (!pass.mustLookAgain())
            co_return result;
    }
}

} // namespace drover::jobs
