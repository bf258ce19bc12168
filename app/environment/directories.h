#pragma once

#include <QString>

namespace drover::app {

// The directories of the program, by the XDG Base Directory Specification. These functions create none of them.
// The user's home directory: $HOME, or what the system knows of the user without it.
QString homeDirectory();
QString dataDirectory(); // $XDG_DATA_HOME/drover: the private ZooKeeper of `drover up`
QString defaultHistoryFile(); // in the data directory: the default history of `drover up`
QString stateDirectory(); // $XDG_STATE_HOME/drover: logs, spools
QString runtimeDirectory(); // $XDG_RUNTIME_DIR/drover, or the state directory
QString userConfigFile(); // $XDG_CONFIG_HOME/drover/config.toml
QString systemConfigFile(); // /etc/drover/config.toml
// Where credentials for a cluster are looked for. The last two are named as the cluster is.
QString trustDirectory(); // in the data directory: the keys of `drover up`
QString localCredentialsFile(const QByteArray &cluster); // in the trust directory: CLUSTER.drover
QString userCredentialsFile(const QByteArray &cluster); // $XDG_CONFIG_HOME/drover/credentials/CLUSTER
QString systemCredentialsFile(const QByteArray &cluster); // /etc/drover/credentials/CLUSTER

// Creates /etc/drover if it is missing: for all users to read, because it has the machine's configuration.
void makeMachineDirectory();

// Creates `path` and its missing parents, with access for the owner only. Throws CommandError, which names the
// directory that could not be created, and why.
void makeDirectory(const QString &path);

} // namespace drover::app
