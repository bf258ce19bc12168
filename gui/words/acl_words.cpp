#include "gui/text/marks.h"
#include "gui/words/node_words.h"
#include "zk/permissions.h"

#include <QCoreApplication>

#include <array>

namespace drover::gui {

namespace {

struct Permission {
    qint32 bit;
    const char *words;
};

constexpr std::array<Permission, 5> Permissions{{
    {zk::ReadPermission, QT_TRANSLATE_NOOP("AclWords", "read")},
    {zk::WritePermission, QT_TRANSLATE_NOOP("AclWords", "write")},
    {zk::CreatePermission, QT_TRANSLATE_NOOP("AclWords", "create children")},
    {zk::DeletePermission, QT_TRANSLATE_NOOP("AclWords", "delete children")},
    {zk::AdminPermission, QT_TRANSLATE_NOOP("AclWords", "change this list")},
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
        entries << QStringLiteral("%1:%2:%3")
                       .arg(QString::fromUtf8(entry.scheme), QString::fromUtf8(entry.id),
                            QString::fromLatin1(zk::permissionLetters(entry.permissions)));
    }
    return entries.join(u',');
}

} // namespace drover::gui
