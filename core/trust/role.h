#pragma once

#include <QByteArray>
#include <QString>

#include <array>
#include <optional>
#include <set>

namespace drover::trust {

// What a key-holder may do. A certificate names its roles one by one: none includes another.
enum class Role {
    Viewer, // reads
    Submit, // submits jobs, and shares locks, limits and items
    Operate, // cancels, holds, moves, pauses, drains
    Worker, // claims jobs and reports their ends
    Admin, // everything, and changes access rights
};
using Roles = std::set<Role>;

inline constexpr std::array AllRoles{Role::Viewer, Role::Submit, Role::Operate, Role::Worker, Role::Admin};

QByteArray roleName(Role role); // "viewer"
std::optional<Role> parseRole(const QByteArray &name);
QString rolesText(const Roles &roles); // for people: "viewer and submit"

} // namespace drover::trust
