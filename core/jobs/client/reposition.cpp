#include "jobs/client/reposition.h"

namespace drover::jobs {

bool isMasters(QueueEntry::Class jobClass)
{
    return jobClass == QueueEntry::Class::Waiting || jobClass == QueueEntry::Class::Array;
}

zk::Transaction &reposition(zk::Transaction &transaction, const Layout &layout, const QByteArray &queue,
                            const QueueEntry &from, const QueueEntry &to, qint32 version, const QByteArray &data)
{
    const zk::Path path = layout.job(queue, to);
    const bool isArray = from.jobClass == QueueEntry::Class::Array || to.jobClass == QueueEntry::Class::Array;
    const qint32 claims = isArray ? 0 : version;
    transaction.remove(layout.job(queue, from), version).create(path, claims == 0 ? data : QByteArray());
    for (qint32 passed = 0; passed < claims; ++passed)
        transaction.set(path, passed + 1 == claims ? data : QByteArray(), passed);
    if (isMasters(to.jobClass))
        tellMaster(transaction, layout, queue);
    return transaction;
}

zk::Transaction &tellMaster(zk::Transaction &transaction, const Layout &layout, const QByteArray &queue)
{
    return transaction.set(layout.waiting(queue), {});
}

} // namespace drover::jobs
