#pragma once

#include "app/top/cluster_sample.h"

#include <QJsonObject>

namespace drover::app {

// A look at the cluster for programs: the counters themselves, where the screen has rates.
QJsonObject sampleJson(const QByteArray &cluster, const ClusterSample &sample);

} // namespace drover::app
