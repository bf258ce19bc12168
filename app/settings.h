#pragma once

#include "app/arguments.h"
#include "app/output.h"

namespace drover::app {

// What to talk to and how to print, collected from (first wins) the command line, the environment, the configuration
// file (--config, or the user's, or the system's) and, for the servers, the running `drover up`.
//
//     # ~/.config/drover/config.toml
//     connect = "zk1:2181,zk2:2181,zk3:2181"
//     cluster = "default"
//     connect_timeout = "5s"
//     history = "postgresql://drover@db/drover"
//     listen = "10.0.0.7:7117"
//     advertise = "build-7.example.com"
struct Settings {
    QString connect; // empty: nobody said
    QString connectSource; // for messages: "--connect", "DROVER_CONNECT", a file's name, "drover up"
    QByteArray cluster;
    std::chrono::milliseconds connectTimeout{5000};
    QString history; // where finished jobs are kept: a file, postgresql://...; empty: nowhere that we know
    QString historySource; // empty: nobody said, and what `history` names is drover up's
    QString listen; // of a worker, unless told otherwise by its options: Listening; empty: nobody said
    QString listenSource;
    QString advertise; // and where others reach it; empty: nobody said
    Format format = Format::Table;

    // Throws UsageError, also for a file that cannot be read ("file:line: why").
    static Settings collect(const Arguments &arguments);
};

} // namespace drover::app
