#pragma once

#include <QString>

#include <string_view>

namespace drover::zk {

// A line of zoo.cfg.
struct ServerSetting {
    const char *key;
    const char *value;

    QString line() const { return QStringLiteral("%1=%2").arg(QLatin1String(key), QLatin1String(value)); }
};

// What Drover asks of the configuration of each ZooKeeper server, beside folder, port and members. Drover starts its
// own servers with it, `drover cluster prepare` writes it, and `drover cluster check` advises it. The operator's guide
// says why.
inline constexpr ServerSetting SettingsOfEach[]{
    {"tickTime", "2000"}, // ms
    {"maxClientCnxns", "0"}, // no limit
    {"autopurge.snapRetainCount", "3"},
    {"autopurge.purgeInterval", "1"}, // hours
    {"4lw.commands.whitelist", "srvr,mntr,conf"},
    {"forceSync", "yes"},
    {"admin.enableServer", "false"},
};

// What a server of an ensemble needs beside it.
inline constexpr ServerSetting SettingsOfMembers[]{
    {"initLimit", "10"}, // ticks
    {"syncLimit", "5"}, // ticks
    {"db.autocreate", "false"},
    {"forceSnapshotSync", "true"},
};

// The setting of one of the lists. A key that neither list has does not compile.
consteval ServerSetting setting(std::string_view key)
{
    for (const ServerSetting &each : SettingsOfEach) {
        if (each.key == key)
            return each;
    }
    for (const ServerSetting &each : SettingsOfMembers) {
        if (each.key == key)
            return each;
    }
    throw key;
}

} // namespace drover::zk
