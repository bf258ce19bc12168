#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

namespace drover::app {

// A machine on which `drover launch` runs a worker. packaging/hosts.toml explains the keys.
struct LaunchHost {
    enum class Programs {
        Copied, // the programs of this machine
        Tree, // and the libraries that they need
        Installed, // the programs of a package there
    };

    QString name; // of the worker in the cluster, too
    QString address; // what ssh connects to; empty: this machine, without ssh
    QString prefix; // the worker's folder there, absolute or below the home directory
    Programs programs = Programs::Copied;
    QString connect; // where its worker finds ZooKeeper
    QByteArray credentials; // the bytes of the file for a closed cluster; empty: none
    qint64 minFree = 0; // bytes of the disk of `prefix`
    QByteArray workerFile; // its worker.toml
    bool namesSpool = false; // in `workerFile`
};

struct HostsFile {
    QString sshConfig; // for ssh -F; empty: the user's
    int parallel = 16; // hosts at a time
    QList<LaunchHost> hosts;

    // Paths in it are relative to its own directory. `connect` counts for hosts without one. Throws UsageError, which
    // begins with "FILE:LINE: ". Blocks on the file system.
    static HostsFile read(const QString &path, const QString &connect);
};

} // namespace drover::app
