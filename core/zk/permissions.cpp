#include "zk/permissions.h"

#include <algorithm>
#include <array>
#include <utility>

namespace drover::zk {

namespace {

constexpr std::array<std::pair<char, qint32>, 5> Letters{{
    {'c', CreatePermission},
    {'d', DeletePermission},
    {'r', ReadPermission},
    {'w', WritePermission},
    {'a', AdminPermission},
}};

} // namespace

std::optional<qint32> permissionsOf(QByteArrayView letters)
{
    qint32 permissions = 0;
    for (const char letter : letters) {
        const auto *const found =
            std::find_if(Letters.begin(), Letters.end(), [letter](const auto &each) { return each.first == letter; });
        if (found == Letters.end())
            return std::nullopt;
        permissions |= found->second;
    }
    return permissions;
}

QByteArray permissionLetters(qint32 permissions)
{
    QByteArray letters;
    for (const auto &[letter, permission] : Letters) {
        if ((permissions & permission) != 0)
            letters.append(letter);
    }
    return letters;
}

} // namespace drover::zk
