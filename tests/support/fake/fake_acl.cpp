#include "support/fake/fake_acl.h"

#include <QCryptographicHash>

#include <algorithm>

namespace drover::test {

namespace {

bool matches(const zk::Acl &entry, const std::vector<QByteArray> &digests)
{
    if (entry.scheme == "world")
        return entry.id == "anyone";
    if (entry.scheme == "ip")
        return entry.id == "127.0.0.1";
    return entry.scheme == "digest" && std::any_of(digests.begin(), digests.end(), [&](const QByteArray &digest) {
               return entry.id == digestId(digest);
           });
}

} // namespace

bool allows(const zk::AclList &acl, Permission wanted, const std::vector<QByteArray> &digests)
{
    return std::any_of(acl.begin(), acl.end(), [&](const zk::Acl &entry) {
        return (entry.permissions & static_cast<qint32>(wanted)) != 0 && matches(entry, digests);
    });
}

// PrepRequestProcessor.fixupACL()
std::optional<zk::AclList> checkedAcl(const zk::AclList &acl, const std::vector<QByteArray> &digests)
{
    zk::AclList checked;
    const auto add = [&](const zk::Acl &entry) {
        if (std::find(checked.begin(), checked.end(), entry) == checked.end())
            checked.push_back(entry);
    };
    for (const zk::Acl &entry : acl) {
        if (entry.scheme == "auth") {
            if (digests.empty())
                return std::nullopt;
            for (const QByteArray &digest : digests)
                add({entry.permissions, "digest", digestId(digest)});
        } else if ((entry.scheme == "world" && entry.id == "anyone") || entry.scheme == "ip"
                   || (entry.scheme == "digest" && entry.id.count(':') == 1)) {
            add(entry);
        } else {
            return std::nullopt;
        }
    }
    if (checked.empty())
        return std::nullopt;
    return checked;
}

zk::AclList masked(const zk::AclList &acl)
{
    zk::AclList shown = acl;
    for (zk::Acl &entry : shown) {
        if (entry.scheme == "digest")
            entry.id = entry.id.left(entry.id.indexOf(':')) + ":x";
    }
    return shown;
}

// DigestAuthenticationProvider.generateDigest()
QByteArray digestId(const QByteArray &userAndPassword)
{
    const QByteArray user = userAndPassword.left(userAndPassword.indexOf(':'));
    return user + ':' + QCryptographicHash::hash(userAndPassword, QCryptographicHash::Sha1).toBase64();
}

} // namespace drover::test
