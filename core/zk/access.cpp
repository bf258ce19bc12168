#include "zk/access.h"

#include "zk/permissions.h"

namespace drover::zk {

AuthInfo parseAuthInfo(const QByteArray &text)
{
    const qsizetype colon = text.indexOf(':');
    if (colon <= 0 || colon + 1 == text.size())
        throw InvalidAccess("is not SCHEME:SECRET, such as digest:user:password");
    return {text.first(colon), text.sliced(colon + 1)};
}

AclList parseAcl(const QByteArray &text)
{
    if (text == "open")
        return openAcl();
    if (text == "creator")
        return {Acl{AllPermissions, QByteArrayLiteral("auth"), QByteArray("")}};
    AclList acl;
    for (const QByteArray &entry : text.split(',')) {
        const qsizetype first = entry.indexOf(':');
        const qsizetype last = entry.lastIndexOf(':');
        const qint32 permissions = first > 0 && last > first ? permissionsOf(entry.sliced(last + 1)).value_or(0) : 0;
        if (permissions == 0)
            throw InvalidAccess("\"" + entry.toStdString()
                                + "\" must be open, creator, or SCHEME:ID:PERMISSIONS with some of cdrwa, such as "
                                  "world:anyone:r");
        acl.push_back(Acl{permissions, entry.first(first), entry.sliced(first + 1, last - first - 1)});
    }
    return acl;
}

Access Access::fromEnvironment()
{
    Access access;
    const auto read = [](const char *variable, const auto &take) {
        const QByteArray value = qgetenv(variable);
        try {
            if (!value.isEmpty())
                take(value);
        } catch (const InvalidAccess &error) {
            throw InvalidAccess(std::string(variable) + ": " + error.what());
        }
    };
    read("DROVER_AUTH", [&](const QByteArray &value) { access.auth.push_back(parseAuthInfo(value)); });
    read("DROVER_ACL",
         [&](const QByteArray &value) { access.acl = [acl = parseAcl(value)](const Path &) { return acl; }; });
    return access;
}

} // namespace drover::zk
