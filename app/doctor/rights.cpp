#include "app/doctor/rights.h"

namespace drover::app {

QByteArray holderOf(const zk::Acl &entry)
{
    return entry.scheme + ':' + entry.id.split(':').front();
}

Rights rightsIn(const zk::AclList &list)
{
    Rights rights;
    for (const zk::Acl &entry : list)
        rights[holderOf(entry)] |= entry.permissions;
    return rights;
}

} // namespace drover::app
