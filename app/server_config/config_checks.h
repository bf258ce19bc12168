#pragma once

#include "app/doctor/finding.h"
#include "app/server_config/server_config.h"

#include <chrono>
#include <vector>

namespace drover::app {

// Judges the configuration files of the servers of one ensemble, or of some of them. `sessionTimeout` is what the
// workers ask for. It looks at nothing else, but for whether dataDir and dataLogDir are of one disk here. What several
// files have in common is one finding with all places. What no configuration file tells is unknown.
Findings checkServerConfigs(const std::vector<ServerConfig> &configs, std::chrono::milliseconds sessionTimeout);

// The following are parts of it, for one file. The first judges keys and values as such. It finds values that ZooKeeper
// does not start with, and keys that are there twice, that are misspelt, or that have a prefix too many.
Findings checkKeys(const ServerConfig &config);

// Judges what each server needs, alone or in an ensemble: cleaning, folders, ports, four-letter words, trust.
Findings checkSettings(const ServerConfig &config);

} // namespace drover::app
