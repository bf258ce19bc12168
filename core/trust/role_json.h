#pragma once

#include "trust/role.h"

#include <QJsonObject>

#include <map>

namespace drover::trust {

// A text for each role, by the names of the roles: how passwords and identities stand in stored JSON.
inline QJsonObject jsonByRole(const std::map<Role, QByteArray> &texts)
{
    QJsonObject json;
    for (const auto &[role, text] : texts)
        json[QString::fromLatin1(roleName(role))] = QString::fromUtf8(text);
    return json;
}

} // namespace drover::trust
