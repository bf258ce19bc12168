#include "jobs/schedules.h"

#include "jobs/read_nodes.h"
#include "recipes/persist.h"

#include <algorithm>

namespace drover::jobs {

using recipes::persist;
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

async::Task<std::vector<StoredSchedule>> listSchedules(zk::Coordinator &zk, Layout layout)
{
    const zk::Path directory = layout.schedules();
    const auto list = [&] { return zk.children(directory); };
    const Answer<zk::Children> children = co_await persist(zk, list);
    QByteArrayList names = children->names; // none if there is no such directory
    std::sort(names.begin(), names.end());
    std::vector<zk::Path> paths;
    for (const QByteArray &name : names)
        paths.push_back(layout.schedule(name));
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(zk, std::move(paths));
    std::vector<StoredSchedule> schedules;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].is(Code::NoNode))
            schedules.push_back(readSchedule(names[static_cast<qsizetype>(i)], *nodes[i]));
        if (nodes[i].is(Code::NoAuth))
            schedules.back().malformed = QStringLiteral("no permission to read it");
    }
    co_return schedules;
}

async::Task<StoredSchedule> findSchedule(zk::Coordinator &zk, Layout layout, QByteArray name)
{
    const zk::Path path = layout.schedule(name);
    const auto read = [&] { return zk.get(path); };
    const Answer<zk::Node> node = co_await persist(zk, read);
    if (!node.ok())
        throw NotFound(QStringLiteral("there is no schedule %1 in cluster %2; drover cron ls lists the schedules")
                           .arg(QString::fromUtf8(name), QString::fromUtf8(layout.cluster())));
    co_return readSchedule(name, *node);
}

async::Task<void> addSchedule(zk::Coordinator &zk, Layout layout, QByteArray name, ScheduleEntry entry)
{
    const JobSpec largest = entry.jobAt(name, CronSchedule::Latest);
    const QByteArray checked = largest.encode();
    co_await requireQueue(zk, layout, entry.job.queue);
    co_await zk.ensurePath(layout.schedules());
    const zk::Path path = layout.schedule(name);
    const QByteArray data = entry.encode();
    const auto create = [&] { return zk.create(path, data); };
    const Answer<zk::Created> created = co_await persist(zk, create);
    if (created.ok())
        co_return;
    const auto read = [&] { return zk.get(path); };
    const Answer<zk::Node> present = co_await persist(zk, read);
    if (present->data != data) // else it is ours, whose reply was lost
        throw WrongState(QStringLiteral("there is a schedule %1 already; drover cron rm %1 removes it")
                             .arg(QString::fromUtf8(name)));
}

async::Task<void> editSchedule(zk::Coordinator &zk, Layout layout, QByteArray name,
                               std::function<void(ScheduleEntry &)> edit)
{
    const zk::Path path = layout.schedule(name);
    for (;;) {
        StoredSchedule stored = co_await findSchedule(zk, layout, name);
        if (!stored.entry)
            throw WrongState(QStringLiteral("schedule %1 is malformed (%2); drover cron rm %1 removes it")
                                 .arg(QString::fromUtf8(name), stored.malformed));
        edit(*stored.entry);
        const QByteArray data = stored.entry->encode();
        const auto write = [&] { return zk.set(path, data, stored.version); };
        const Answer<zk::Stat> written = co_await persist(zk, write);
        if (written.ok())
            co_return;
    }
}

async::Task<void> removeSchedule(zk::Coordinator &zk, Layout layout, QByteArray name)
{
    const StoredSchedule stored = co_await findSchedule(zk, layout, name);
    const zk::Path path = layout.schedule(name);
    const auto remove = [&] { return zk.remove(path); };
    const Answer<zk::Nothing> removed = co_await persist(zk, remove);
    if (!removed.is(Code::NoNode)) // by somebody else, or by us, and the reply was lost
        removed.require();
}

} // namespace drover::jobs
