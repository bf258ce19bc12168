#pragma once

#include "app/top/cluster_sample.h"

#include <QStringList>

#include <optional>

namespace drover::app {

// The lines of `drover top` for a terminal of `width` columns and `height` lines. They show the cluster, its queues,
// its workers, and as many running jobs as fit. Rates count from `before` to `now`.
QStringList topScreen(const QByteArray &cluster, const ClusterSample &now, const std::optional<ClusterSample> &before,
                      int width, int height);

} // namespace drover::app
