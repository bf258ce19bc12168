#pragma once

#include "app/cli/arguments.h"
#include "app/cli/output.h"

namespace drover::app {

// The settings of a command. The first source that has a setting wins: the command line, the environment, the
// configuration file. For the servers the running `drover up` comes then, and the credentials. The configuration file
// is that of --config, or the user's, or the system's.
//
//     # ~/.config/drover/config.toml
//     connect = "zk1:2181,zk2:2181,zk3:2181"
//     cluster = "default"
//     connect_timeout = "5s"
//     credentials = "/etc/drover/credentials/default"
//     history = "postgresql://drover@db/drover"
//     history_allow = ["postgresql://drover@db/drover"]
//     listen = "10.0.0.7:7117"
//     advertise = "build-7.example.com"
struct Settings {
    QString connect; // empty: not configured
    QString connectSource; // for messages: "--connect", "DROVER_CONNECT", a file's name, "drover up"
    QByteArray cluster;
    std::chrono::milliseconds connectTimeout{5000};
    QString credentials; // a file, "none", or CredentialsOfInput; empty: not configured (credentials_file.h)
    QString credentialsPlace; // "file:line", if the configuration file names them; or empty
    QString history; // a file or postgresql://...; empty: not configured
    QString historySource; // for messages; empty: `history` is drover up's
    // Histories that get this machine's passwords, or are files of it, if the cluster's settings name them.
    QStringList historyAllow;
    QString listen; // a worker's default ListenAddress; empty: not configured
    QString listenSource;
    QString advertise; // its address for others; empty: not configured
    Format format = Format::Table;

    bool isOfUp() const { return connectSource == u"drover up"; }

    // Throws UsageError, also if a file cannot be read ("file:line: why"). `takesInput`: --credentials may say
    // CredentialsOfInput.
    static Settings collect(const Arguments &arguments, bool takesInput = false);
};

inline constexpr QStringView CredentialsOfInput = u"-"; // standard input hands them over

} // namespace drover::app
