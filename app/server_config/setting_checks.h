#pragma once

#include "app/doctor/finding.h"
#include "app/server_config/server_config.h"

namespace drover::app {

// Judges what each server needs, alone or in an ensemble: cleaning, folders, ports, four-letter words, trust.
Findings checkSettings(const ServerConfig &config);

} // namespace drover::app
