#pragma once

#include "trust/role.h"

namespace drover::trust {

// What something asks of its user in a closed cluster. The roles are the least that do: `operate` and `admin` may also
// do what `submit` may in the tree. Signatures need the role submit itself, because workers believe no other.
struct Need {
    static constexpr bool Signs = true;

    std::optional<Role> role{}; // nothing: no role at all
    QString when{}; // of a command, only with this verb or option: "get", "--watch"; empty: always
    bool signs = false; // it signs jobs, so the certificate has to have the role submit, too

    // Whether a certificate with these roles has what it needs.
    bool isMetBy(const Roles &roles) const;
    // "operate and submit"; "none".
    QString text() const;
    // What an administrator types to grant what the holder of these roles lacks.
    QString grantTo(const QString &holder, const Roles &roles) const;
    // Why that holder is refused, and that command.
    QString refusalOf(const QString &holder, const Roles &roles) const;
};

} // namespace drover::trust
