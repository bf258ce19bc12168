#include "fuzz/harness/target.h"
#include "jobs/model/gang.h"
#include "jobs/model/queue_entry.h"
#include "recipes/blocks/line.h"
#include "recipes/blocks/node_kind.h"
#include "recipes/queues/locking_queue.h"
#include "text/name.h"
#include "zk/path.h"

using namespace drover;

namespace {

void requireOwnNames(const QByteArray &name)
{
    if (const auto entry = jobs::QueueEntry::parse(name))
        fuzz::requireEqual(entry->name(), name, "the name of a job's node");
    if (const auto place = jobs::GangPlaceName::parse(name))
        fuzz::requireEqual(place->name(), name, "the name of a member's node");
    if (const auto entry = recipes::EntryName::parse(name))
        fuzz::requireEqual(recipes::EntryName::prefix(entry->key) + zk::sequenceText(entry->sequence), name,
                           "an entry's name");
}

} // namespace

// A path of znodes; the names in it are contenders of locks, elections and semaphores, entries of queues, jobs.
DROVER_FUZZ_TARGET(node_names, Form::Bytes)
{
    if (const auto path = unlessRefused<zk::InvalidPath>([&] { return zk::Path(input); })) {
        require(path->isRoot() || path->parent() / path->name() == *path, "a path is not its parent's child");
        (void)path->toString();
    }
    QByteArrayList names = input.split('/');
    for (const QByteArray &name : names) {
        requireOwnNames(name);
        (void)recipes::standsInLineOf(recipes::kindOf(name), name);
        const QString text = QString::fromUtf8(name);
        require(!text::isName(text) || text::isLockName(text), "a name is not a lock's");
        if (text::isLockName(text))
            (void)zk::Path("/" + name);
    }
    const QByteArrayList line = recipes::sortedBySequence(names);
    require(line.size() <= names.size() && jobs::placesIn(names).size() <= std::size_t(names.size()),
            "a name comes twice");
    (void)jobs::readyInOrder(names);
}
