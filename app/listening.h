#pragma once

#include <QHostAddress>

#include <optional>

namespace drover::app {

// Where a worker lets others read what its jobs write: "ADDRESS", "ADDRESS:PORT" or "none"; "*" is every address of
// this machine, and without a port a free one is taken.
struct Listening {
    QHostAddress address{QHostAddress::Any};
    quint16 port = 0;

    // Nothing for "none". Throws UsageError, which begins with `source`.
    static std::optional<Listening> parse(const QString &text, const QString &source);
};

// Under which name or address others reach this listener: where it listens, or, if that is everywhere, the address that
// ZooKeeper's servers see, which are where everybody meets. If that is a loopback address they run on this machine, and
// others know it by its name. Blocks while it resolves names.
QString addressForOthers(const Listening &listening, const QString &connect);

} // namespace drover::app
