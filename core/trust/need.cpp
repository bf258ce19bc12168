#include "trust/need.h"

#include <algorithm>

namespace drover::trust {

namespace {

// Who may do in the tree what this role may: core/jobs/cluster/acl_table.cpp.
Roles including(Role role)
{
    switch (role) {
    case Role::Viewer:
        return {AllRoles.begin(), AllRoles.end()};
    case Role::Submit:
        return {Role::Submit, Role::Operate, Role::Worker, Role::Admin};
    case Role::Operate:
        return {Role::Operate, Role::Admin};
    case Role::Worker:
        return {Role::Worker, Role::Admin};
    case Role::Admin:
        break;
    }
    return {Role::Admin};
}

QString nameOf(Role role)
{
    return QString::fromLatin1(roleName(role));
}

} // namespace

bool Need::isMetBy(const Roles &roles) const
{
    if (!role)
        return true;
    const Roles enough = including(*role);
    const bool may = std::any_of(roles.begin(), roles.end(), [&](Role one) { return enough.contains(one); });
    return may && (!signs || roles.contains(Role::Submit));
}

QString Need::text() const
{
    if (!role)
        return QStringLiteral("none");
    const bool signsBeside = signs && *role != Role::Submit;
    return nameOf(*role) + (signsBeside ? QStringLiteral(" and submit") : QString());
}

// The new file takes the place of the old one, so it has the old roles as well.
QString Need::grantTo(const QString &holder, const Roles &roles) const
{
    Roles wanted = roles;
    if (role)
        wanted.insert(*role);
    if (signs)
        wanted.insert(Role::Submit);
    QString grant = QStringLiteral("drover user add ") + holder;
    for (const Role one : wanted)
        grant += QStringLiteral(" --role ") + nameOf(one);
    return grant;
}

QString Need::refusalOf(const QString &holder, const Roles &roles) const
{
    return QStringLiteral("this needs the role %1, and %2 is %3; an administrator grants it: %4")
        .arg(text(), holder, rolesText(roles), grantTo(holder, roles));
}

} // namespace drover::trust
