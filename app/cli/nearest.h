#pragma once

#include <QStringList>

namespace drover::app {

// The candidates that a misspelt `name` probably means: at most three, the nearest first. A candidate that begins with
// `name` is as near as one with one wrong letter.
QStringList nearest(const QString &name, const QStringList &candidates);

} // namespace drover::app
