#pragma once

#include "gui/data/entity.h"

#include <QList>

namespace drover::gui {

struct ConsoleModels;

// Jobs, workers, queues and locks that have this text in their names, as far as the models know them: a few of each. A
// path, and a job id that nothing else is named by, are found even if the models do not know them.
QList<EntityRef> findEntities(const ConsoleModels &models, const QString &text);

} // namespace drover::gui
