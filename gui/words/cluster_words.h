#pragma once

#include "zk/path.h"

#include <QStringList>

namespace drover::gui {

// The part of recordWords() for the nodes of Drover's clusters.
QStringList clusterWords(const zk::Path &path, const QByteArray &data);

} // namespace drover::gui
