#pragma once

#include "app/context.h"
#include "jobs/cluster.h"

namespace drover::app {

// There is nobody whom `drover master` could be about.
inline jobs::NotFound noMaster(const Context &context)
{
    return jobs::NotFound(QStringLiteral("cluster %1 has no master, because it has no worker; start one: drover worker")
                              .arg(QString::fromLatin1(context.settings().cluster)));
}

} // namespace drover::app
