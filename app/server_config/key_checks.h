#pragma once

#include "app/doctor/finding.h"
#include "app/server_config/server_config.h"

namespace drover::app {

// Judges keys and values as such. It finds values that ZooKeeper does not start with, and keys that are there twice,
// that are misspelt, or that have a prefix too many.
Findings checkKeys(const ServerConfig &config);

} // namespace drover::app
