#pragma once

#include <QString>

namespace drover::text {

// The name or the address of a machine: a name of RFC 1123, or an IPv4 or IPv6 address. Underscores count as letters,
// since many machines have them in their names. It has no comma, no space and nothing that a shell would act upon.
bool isHostName(const QString &text);
constexpr char HostNameRule[] =
    "use letters, digits and hyphens, with dots between parts of up to 63 and 253 in all, or an IP address";

} // namespace drover::text
