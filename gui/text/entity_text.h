#pragma once

#include "gui/data/entity.h"
#include "gui/data/snapshots.h"

#include <QString>

namespace drover::gui {

QString entityText(const EntityRef &entity); // "worker worker-1", for people

// A cluster in titles and messages: "default on zk1:2181", or "default on zk1:2181…" of several servers.
QString targetText(const Target &target);

} // namespace drover::gui
