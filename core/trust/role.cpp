#include "trust/role.h"

#include <QStringList>

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

QString rolesText(const Roles &roles)
{
    QStringList names;
    for (const Role role : roles)
        names << QString::fromLatin1(roleName(role));
    if (names.size() < 2)
        return names.value(0);
    const QString last = names.takeLast();
    return QStringLiteral("%1 and %2").arg(names.join(QStringLiteral(", ")), last);
}

} // namespace drover::trust
