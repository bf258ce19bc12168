#pragma once

#include "gui/data/entity.h"

#include <QString>

namespace drover::gui {

QString entityText(const EntityRef &entity); // "worker worker-1", for people

} // namespace drover::gui
