#pragma once

#include "trust/need.h"

#include <QList>

namespace drover::app {

class Arguments;

using trust::Need;

// The first of them that applies to the arguments. Nothing if there is none.
std::optional<Need> needOf(const QList<Need> &needs, const Arguments &arguments);

// "operate; viewer with --dry-run", for the help.
QString needsText(const QList<Need> &needs);

} // namespace drover::app
