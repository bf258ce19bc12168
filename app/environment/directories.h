#pragma once

#include <QString>

namespace drover::app {

// The directories of the program, by the XDG Base Directory Specification. These functions create none of them.
QString dataDirectory(); // $XDG_DATA_HOME/drover: the private ZooKeeper of `drover up`
QString defaultHistoryFile(); // in the data directory: the default history of `drover up`
QString stateDirectory(); // $XDG_STATE_HOME/drover: logs, spools
QString runtimeDirectory(); // $XDG_RUNTIME_DIR/drover, or the state directory
QString userConfigFile(); // $XDG_CONFIG_HOME/drover/config.toml
QString systemConfigFile(); // /etc/drover/config.toml

// Creates `path` and its missing parents, with access for the owner only. Throws CommandError, which names the
// directory that could not be created, and why.
void makeDirectory(const QString &path);

} // namespace drover::app
