#include "gui/text/marks.h"
#include "gui/words/node_words.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace drover::gui {

namespace {

struct Permission {
    qint32 bit;
    char letter; // as ZooKeeper's own client has it
    const char *words;
};

constexpr std::array<Permission, 5> Permissions{{
    {1, 'r', QT_TRANSLATE_NOOP("AclWords", "read")},
    {2, 'w', QT_TRANSLATE_NOOP("AclWords", "write")},
    {4, 'c', QT_TRANSLATE_NOOP("AclWords", "create children")},
    {8, 'd', QT_TRANSLATE_NOOP("AclWords", "delete children")},
    {16, 'a', QT_TRANSLATE_NOOP("AclWords", "change this list")},
}};

struct AclTexts {
    Q_DECLARE_TR_FUNCTIONS(AclWords)
};

QString holderWords(const zk::Acl &entry, const KnownRoles &roles)
{
    if (entry.scheme == "world")
        return AclTexts::tr("everyone");
    if (entry.scheme == "ip")
        return AclTexts::tr("address %1").arg(marked(entry.id));
    if (entry.scheme != "digest")
        return QStringLiteral("%1:%2").arg(marked(entry.scheme), marked(entry.id));
    const QString role = roles.value(entry.id);
    const QString user = marked(entry.id.left(entry.id.indexOf(':')));
    return role.isEmpty() ? AclTexts::tr("user %1").arg(user) : AclTexts::tr("role %1 of this cluster").arg(role);
}

} // namespace

QString permissionWords(qint32 permissions)
{
    if (permissions == zk::AllPermissions)
        return AclTexts::tr("everything");
    QStringList words;
    for (const Permission &permission : Permissions) {
        if (permissions & permission.bit)
            words << AclTexts::tr(permission.words);
    }
    if (words.isEmpty())
        return AclTexts::tr("nothing");
    const QString last = words.takeLast();
    return words.isEmpty() ? last : AclTexts::tr("%1 and %2").arg(words.join(QStringLiteral(", ")), last);
}

QStringList aclWords(const zk::AclList &acl, const KnownRoles &roles)
{
    QStringList lines;
    for (const zk::Acl &entry : acl)
        lines << QStringLiteral("%1: %2").arg(holderWords(entry, roles), permissionWords(entry.permissions));
    return lines;
}

QString aclText(const zk::AclList &acl)
{
    QStringList entries;
    for (const zk::Acl &entry : acl) {
        QString letters;
        for (const char letter : {'c', 'd', 'r', 'w', 'a'}) {
            const auto permission = std::find_if(Permissions.begin(), Permissions.end(),
                                                 [&](const Permission &one) { return one.letter == letter; });
            if (entry.permissions & permission->bit)
                letters += QLatin1Char(letter);
        }
        entries
            << QStringLiteral("%1:%2:%3").arg(QString::fromUtf8(entry.scheme), QString::fromUtf8(entry.id), letters);
    }
    return entries.join(u',');
}

} // namespace drover::gui
