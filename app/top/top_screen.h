#pragma once

#include "app/top/cluster_sample.h"

#include <QStringList>

#include <optional>

namespace drover::app {

// The lines of `drover top` for a terminal of `width` by `height`: the cluster, its queues, its workers, and as many of
// the running jobs as there is room for. Rates are those since `before`.
QStringList topScreen(const QByteArray &cluster, const ClusterSample &now, const std::optional<ClusterSample> &before,
                      int width, int height);

} // namespace drover::app
