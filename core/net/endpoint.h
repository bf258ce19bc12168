#pragma once

#include <QString>

#include <optional>

namespace drover::net {

// Where a server can be reached: "host:port", an IPv6 address in brackets.
struct Endpoint {
    QString host; // a name or a numeric address, without brackets
    quint16 port = 0;

    // Nothing if the text is none.
    static std::optional<Endpoint> parse(const QString &text);
    QString toString() const;

    friend bool operator==(const Endpoint &, const Endpoint &) = default;
};

// The address that this machine shows to whom it speaks to at `remote`, by its routes: nothing is sent. Empty if the
// name cannot be resolved, or there is no route to it. Blocks while it resolves the name: call it where it may.
QString addressTowards(const Endpoint &remote);

} // namespace drover::net
