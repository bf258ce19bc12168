#pragma once

#include <QString>

namespace drover::app {

// Where the program keeps its files, by the XDG Base Directory Specification. None is made here.
QString dataDirectory(); // $XDG_DATA_HOME/drover: the private ZooKeeper of `drover up`
QString stateDirectory(); // $XDG_STATE_HOME/drover: logs, spools
QString runtimeDirectory(); // $XDG_RUNTIME_DIR/drover, or the state directory: who runs now
QString userConfigFile(); // $XDG_CONFIG_HOME/drover/config.toml
QString systemConfigFile(); // /etc/drover/config.toml

// Makes `path` and what it lacks above it, for its owner alone. Throws CommandError, which names the directory that
// could not be made and why.
void makeDirectory(const QString &path);

} // namespace drover::app
