#pragma once

#include <QString>

#include <optional>

namespace drover::net {

// The address of a server: "host:port", an IPv6 address in brackets.
struct Endpoint {
    QString host; // a name or a numeric address, without brackets
    quint16 port = 0;

    // Nothing if the text is not a valid endpoint.
    static std::optional<Endpoint> parse(const QString &text);
    QString toString() const;

    friend bool operator==(const Endpoint &, const Endpoint &) = default;
};

// This machine's address on its route to `remote`. Nothing is sent. Empty if the name cannot be resolved or there is no
// route. Blocks while it resolves the name, so call it where blocking is allowed.
QString addressTowards(const Endpoint &remote);

} // namespace drover::net
