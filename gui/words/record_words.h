#pragma once

#include "zk/types.h"

#include <QStringList>

namespace drover::gui {

// What a znode is, and what its record says, one sentence a line. Known are the nodes of Drover's clusters, those of
// the recipes of Curator and kazoo, and those of Curator's service discovery. For other nodes the list is empty. A line
// says that a record of Drover cannot be read.
QStringList recordWords(const zk::Path &path, const QByteArray &data, const zk::Stat &stat);

} // namespace drover::gui
