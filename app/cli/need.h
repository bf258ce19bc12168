#pragma once

#include "trust/role.h"

#include <QList>
#include <QString>

#include <optional>

namespace drover::app {

class Arguments;

// What a command asks of its user in a closed cluster. The roles are the least that do: `operate` and `admin` may also
// do what `submit` may in the tree. Signatures need the role submit itself, because workers believe no other.
struct Need {
    static constexpr bool Signs = true;

    std::optional<trust::Role> role{}; // nothing: no role at all
    QString when{}; // only with this verb or option: "get", "--watch"; empty: always
    bool signs = false; // it signs jobs, so the certificate has to have the role submit, too

    // Whether a certificate with these roles has what it needs.
    bool isMetBy(const trust::Roles &roles) const;
    // "operate and submit"; "none".
    QString text() const;
};

// The first of them that applies to the arguments. Nothing if there is none.
std::optional<Need> needOf(const QList<Need> &needs, const Arguments &arguments);

// "operate; viewer with --dry-run", for the help.
QString needsText(const QList<Need> &needs);

} // namespace drover::app
