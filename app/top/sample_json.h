#pragma once

#include "app/top/cluster_sample.h"

#include <QJsonObject>

namespace drover::app {

// A sample for programs. It has the counters from which the screen computes rates.
QJsonObject sampleJson(const QByteArray &cluster, const ClusterSample &sample);

} // namespace drover::app
