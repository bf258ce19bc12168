#include "trust/role.h"

namespace drover::trust {

QByteArray roleName(Role role)
{
    switch (role) {
    case Role::Viewer:
        return QByteArrayLiteral("viewer");
    case Role::Submit:
        return QByteArrayLiteral("submit");
    case Role::Operate:
        return QByteArrayLiteral("operate");
    case Role::Worker:
        return QByteArrayLiteral("worker");
    case Role::Admin:
        return QByteArrayLiteral("admin");
    }
    return {};
}

std::optional<Role> parseRole(const QByteArray &name)
{
    for (const Role role : AllRoles) {
        if (name == roleName(role))
            return role;
    }
    return std::nullopt;
}

} // namespace drover::trust
