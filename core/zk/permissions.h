#pragma once

#include "zk/types.h"

#include <QByteArrayView>

#include <optional>

namespace drover::zk {

// What an entry of an ACL lets its holder do with the node: the bits of Acl::permissions.
inline constexpr qint32 ReadPermission = 1; // its data, its list of children, and its ACL
inline constexpr qint32 WritePermission = 2; // its data
inline constexpr qint32 CreatePermission = 4; // its children
inline constexpr qint32 DeletePermission = 8; // its children
inline constexpr qint32 AdminPermission = 16; // change its ACL

static_assert(AllPermissions
              == (ReadPermission | WritePermission | CreatePermission | DeletePermission | AdminPermission));

// Some of the letters "cdrwa", as ZooKeeper's own client has them. Nothing if there is another one.
std::optional<qint32> permissionsOf(QByteArrayView letters);
// In that order.
QByteArray permissionLetters(qint32 permissions);

} // namespace drover::zk
