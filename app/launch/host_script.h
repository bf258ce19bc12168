#pragma once

#include "app/launch/hosts_file.h"

namespace drover::app {

// What a host does for `drover launch`: a script for its sh, which needs what every Debian has. It prints one
// line: "failed WHY", or what the function says. All may be repeated, also after one that was cut off in the middle.
//
//     PREFIX/releases/<release>/bin/   programs: a running worker keeps those that it was started with
//                              bin/lib, bin/plugins   of a tree: the libraries, and Qt's plugins
//     PREFIX/worker.pid                "PID START RELEASE": the kernel's start time tells a process from a later one
//     PREFIX/worker.settings           a hash of what the launch that has started the worker said of it
//     PREFIX/worker.log                of this start; the worker begins it anew at log_size
//     PREFIX/worker.log.1              what was the log before
//     PREFIX/worker.toml, config.toml  their id and cluster say whose folder it is, until that worker is stopped
//     PREFIX/credentials, spool
class HostScript
{
public:
    HostScript(const LaunchHost &host, QString release, QByteArray cluster);

    // "state RELEASE IS-HERE RUNNING-RELEASE PID SYSTEM FREE SETTINGS": yes or no, "-" and 0 without a worker, KiB.
    // SETTINGS compares those of the worker that runs with those of this object: "same", "other" or "unknown".
    // It changes nothing, and does not wait for a launcher that does.
    QByteArray look() const;
    // "installed". Reads the archive of the programs from what follows the script.
    QByteArray install() const;
    // "prepared", once the worker's files are there and it can start with them. One that runs goes on as it is.
    QByteArray prepare() const;
    // "running PID RELEASE", once its worker has joined the cluster, or if it runs already.
    QByteArray start(int seconds) const;
    // "stopped", once the worker has ended by itself; its programs may be gone. `pid`: unless it is another process;
    // empty: whatever it is.
    QByteArray stop(int seconds, const QString &pid = {}) const;

private:
    QByteArray with(const QByteArray &body) const;

    QByteArray m_names; // assignments
};

} // namespace drover::app
