#include "jobs/schedules/schedules.h"

#include "jobs/cluster/read_nodes.h"
#include "jobs/signing/signer.h"
#include "recipes/blocks/persistent.h"

#include <algorithm>

namespace drover::jobs {

using recipes::Persistent;
using zk::Answer;
using zk::Code;

StoredSchedule readSchedule(const QByteArray &name, const zk::Node &node)
{
    StoredSchedule stored;
    stored.name = name;
    stored.version = node.stat.version;
    try {
        stored.entry = ScheduleEntry::decode(node.data);
    } catch (const Malformed &error) {
        stored.malformed = QString::fromUtf8(error.what());
    }
    return stored;
}

async::Task<std::vector<StoredSchedule>> listSchedules(Cluster cluster)
{
    const zk::Path directory = cluster.layout.schedules();
    const Answer<zk::Children> children = co_await Persistent(cluster.zk).children(directory);
    QByteArrayList names = children->names; // none if there is no such directory
    std::sort(names.begin(), names.end());
    std::vector<zk::Path> paths;
    for (const QByteArray &name : names)
        paths.push_back(cluster.layout.schedule(name));
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(cluster.zk, std::move(paths));
    std::vector<StoredSchedule> schedules;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].is(Code::NoNode))
            schedules.push_back(readSchedule(names[static_cast<qsizetype>(i)], *nodes[i]));
        if (nodes[i].is(Code::NoAuth))
            schedules.back().malformed = QStringLiteral("no permission to read it");
    }
    co_return schedules;
}

async::Task<StoredSchedule> findSchedule(Cluster cluster, QByteArray name)
{
    const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(cluster.layout.schedule(name));
    if (!node.ok())
        throw NotFound(QStringLiteral("there is no schedule %1 in cluster %2; drover cron ls lists the schedules")
                           .arg(QString::fromUtf8(name), QString::fromUtf8(cluster.layout.clusterName())));
    co_return readSchedule(name, *node);
}

namespace {

// Signs it in a closed cluster, anew if it was signed before. Refuses jobs that are too large or have no queue.
async::Task<void> prepare(Cluster cluster, QByteArray name, ScheduleEntry &entry)
{
    if (const std::shared_ptr<const Signer> signer = signerOf(cluster)) {
        co_await ensureCertificate(cluster);
        const std::chrono::milliseconds now = cluster.zk.loop().wallClock();
        signer->requireAllowed(entry.job, now);
        signer->setTerms(entry.job, now);
        entry.signedText.text = entry.makeText(name);
        signer->sign(entry.signedText, trust::Purpose::Schedule);
    }
    const JobSpec largest = entry.jobAt(name, CronSchedule::Latest);
    const QByteArray checked = largest.encode();
    co_await requireQueue(cluster, entry.job.queue);
}

} // namespace

async::Task<void> addSchedule(Cluster cluster, QByteArray name, ScheduleEntry entry)
{
    co_await prepare(cluster, name, entry);
    co_await cluster.zk.ensurePath(cluster.layout.schedules());
    const zk::Path path = cluster.layout.schedule(name);
    zk::Transaction create;
    create.create(path, entry.encode());
    const AuditNote note(cluster, AuditAction::CronAdded, QString::fromUtf8(name));
    const Answer<zk::Committed> created = co_await commitNoted(cluster, create, note);
    if (!created.ok())
        throw WrongState(QStringLiteral("there is a schedule %1 already; drover cron add --replace changes it")
                             .arg(QString::fromUtf8(name)));
}

namespace {

// Returns when the present schedule has run the ticks up to now, has the times of its successor, or 5 s have passed.
async::Task<void> untilNoTickIsDue(Cluster cluster, QByteArray name, ScheduleEntry successor)
{
    using namespace std::chrono_literals;
    async::Loop &loop = cluster.zk.loop();
    for (const async::TimePoint end = loop.now() + 5s; loop.now() < end;) {
        const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(cluster.layout.schedule(name));
        const StoredSchedule present = node.ok() ? readSchedule(name, *node) : StoredSchedule();
        if (!present.entry || successor.hasTimesOf(*present.entry) || present.entry->nextTick() > loop.wallClock())
            co_return;
        co_await async::sleepFor(loop, 100ms);
    }
}

} // namespace

async::Task<void> replaceSchedule(Cluster cluster, QByteArray name, ScheduleEntry entry)
{
    co_await prepare(cluster, name, entry);
    co_await untilNoTickIsDue(cluster, name, entry);
    const std::function<void(ScheduleEntry &)> replace = [&entry](ScheduleEntry &present) {
        present = entry.inPlaceOf(present);
    };
    bool isThere = true;
    try {
        co_await editSchedule(cluster, name, AuditAction::CronReplaced, replace);
    } catch (const NotFound &) {
        isThere = false;
    }
    if (!isThere)
        co_await addSchedule(cluster, name, entry);
}

async::Task<void> editSchedule(Cluster cluster, QByteArray name, AuditAction action,
                               std::function<void(ScheduleEntry &)> edit)
{
    const AuditNote note(cluster, action, QString::fromUtf8(name));
    for (;;) {
        StoredSchedule stored = co_await findSchedule(cluster, name);
        if (!stored.entry)
            throw WrongState(QStringLiteral("schedule %1 is malformed (%2); drover cron rm %1 removes it")
                                 .arg(QString::fromUtf8(name), stored.malformed));
        const QByteArray before = stored.entry->encode();
        edit(*stored.entry);
        const QByteArray data = stored.entry->encode();
        if (data == before)
            co_return;
        zk::Transaction write;
        write.set(cluster.layout.schedule(name), data, stored.version);
        const Answer<zk::Committed> written = co_await commitNoted(cluster, write, note);
        if (written.ok())
            co_return;
    }
}

async::Task<void> pauseSchedule(Cluster cluster, QByteArray name)
{
    const auto edit = [](ScheduleEntry &entry) { entry.paused = true; };
    co_await editSchedule(cluster, name, AuditAction::CronPaused, edit);
}

async::Task<void> resumeSchedule(Cluster cluster, QByteArray name)
{
    const std::chrono::milliseconds now = cluster.zk.loop().wallClock();
    const std::function<void(ScheduleEntry &)> edit = [now](ScheduleEntry &entry) {
        if (entry.paused)
            entry.since = entry.lastTick = std::max(entry.lastTick, now);
        entry.paused = false;
    };
    co_await editSchedule(cluster, name, AuditAction::CronResumed, edit);
}

async::Task<void> removeSchedule(Cluster cluster, QByteArray name)
{
    const StoredSchedule stored = co_await findSchedule(cluster, name);
    zk::Transaction remove;
    remove.remove(cluster.layout.schedule(name));
    const AuditNote note(cluster, AuditAction::CronRemoved, QString::fromUtf8(name));
    const Answer<zk::Committed> removed = co_await commitNoted(cluster, remove, note);
    removed.requireUnless(Code::NoNode); // by another client
}

} // namespace drover::jobs
