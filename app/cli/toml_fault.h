#pragma once

#include <QString>

#include <string_view>

namespace drover::app {

// What the author of a TOML file reads of a toml::parse_error with this description. After the usual mistakes of people
// who know other formats it says how TOML is written.
QString tomlFault(std::string_view description);

} // namespace drover::app
