#include "trust/issuer.h"

#include "trust/private_file.h"
#include "trust/renewal.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace drover::trust {

namespace {

constexpr int RootKeyVersion = 1;
constexpr qsizetype MaxHolderName = 64;

// An administrator has those of all roles.
Passwords passwordsOf(const Roles &roles, const Passwords &known)
{
    Passwords passwords;
    for (const Role role : AllRoles) {
        if (!roles.contains(Role::Admin) && !roles.contains(role))
            continue;
        const auto password = known.find(role);
        if (password == known.end())
            throw BadCredentials(QStringLiteral("these credentials do not hold the password of the role %1; use those "
                                                "of an administrator")
                                     .arg(QLatin1StringView(roleName(role))));
        passwords[role] = password->second;
    }
    return passwords;
}

bool isLetterOrDigit(QChar letter)
{
    return letter.unicode() < 0x80 && letter.isLetterOrNumber();
}

} // namespace

QByteArray RootKey::encode() const
{
    return QJsonDocument(QJsonObject{{QStringLiteral("v"), RootKeyVersion},
                                     {QStringLiteral("cluster"), QString::fromUtf8(cluster)},
                                     {QStringLiteral("id"), QString::fromLatin1(clusterId)},
                                     {QStringLiteral("root"), QString::fromLatin1(key.toSecretText())}})
        .toJson(QJsonDocument::Indented);
}

RootKey RootKey::decode(const QByteArray &bytes)
{
    const QJsonDocument document = QJsonDocument::fromJson(bytes);
    requireIntact(document.isObject(), "no JSON");
    const QJsonObject json = document.object();
    requireIntact(json[u"v"].toInt() == RootKeyVersion, "another version");
    std::optional<SigningKey> key = SigningKey::parse(json[u"root"].toString().toUtf8());
    requireIntact(key.has_value(), "no root key");
    RootKey root{json[u"cluster"].toString().toUtf8(), json[u"id"].toString().toUtf8(), std::move(*key)};
    requireIntact(!root.cluster.isEmpty() && root.clusterId.size() == Certificate::ClusterIdSize, "no cluster");
    return root;
}

RootKey RootKey::read(const QString &path)
{
    const QByteArray bytes = readPrivateFile(path);
    try {
        return decode(bytes);
    } catch (const BadCredentials &error) {
        throw BadCredentials(
            QStringLiteral("the root key file %1 is %2; use a copy of it").arg(path, QString::fromUtf8(error.what())));
    }
}

void RootKey::write(const QString &path) const
{
    writePrivateFile(path, encode());
}

bool isHolderName(const QString &name)
{
    return !name.isEmpty() && name.size() <= MaxHolderName && isLetterOrDigit(name.front())
        && std::all_of(name.begin(), name.end(),
                       [](QChar letter) { return isLetterOrDigit(letter) || QStringView(u"._@-").contains(letter); });
}

Issuer Issuer::found(QByteArray cluster, QString servers)
{
    Issuer issuer(RootKey{.cluster = std::move(cluster), .clusterId = Certificate::newClusterId()});
    issuer.m_servers = std::move(servers);
    for (const Role role : AllRoles) {
        const QByteArray password = newPassword();
        issuer.m_passwords[role] = password;
        issuer.m_identities[role] = digestIdentity(roleName(role), password);
    }
    return issuer;
}

Issuer::Issuer(RootKey root)
    : m_root(std::move(root)), m_anchors{.clusterId = m_root.clusterId, .roots = {m_root.key.publicKey()}}
{
}

Issuer::Issuer(RootKey root, const Credentials &administrator) : Issuer(std::move(root))
{
    const std::vector<PublicKey> &roots = administrator.anchors.roots;
    if (administrator.anchors.clusterId != m_root.clusterId
        || std::find(roots.begin(), roots.end(), m_root.key.publicKey()) == roots.end())
        throw BadCredentials(QStringLiteral("the root key is not that of these credentials: it is of the cluster "
                                            "\"%1\", they are of \"%2\"")
                                 .arg(QString::fromUtf8(m_root.cluster), QString::fromUtf8(administrator.cluster)));
    m_servers = administrator.servers;
    m_anchors = administrator.anchors;
    m_passwords = administrator.passwords;
    m_identities = administrator.identities;
    m_formerPasswords = administrator.formerPasswords;
    m_formerIdentities = administrator.formerIdentities;
    m_renewal = administrator.renewal;
}

Credentials Issuer::issue(const Grant &grant) const
{
    if (!isHolderName(grant.name))
        throw BadCredentials(
            QStringLiteral("\"%1\" cannot be a name: %2").arg(grant.name, QLatin1StringView(HolderNameRule)));
    Credentials credentials{.cluster = m_root.cluster,
                            .servers = m_servers,
                            .anchors = m_anchors,
                            .passwords = passwordsOf(grant.roles, m_passwords),
                            .identities = m_identities,
                            .formerIdentities = m_formerIdentities,
                            .renewal = m_renewal};
    if (!m_formerPasswords.empty())
        credentials.formerPasswords = passwordsOf(grant.roles, m_formerPasswords);
    const Certificate certificate{.clusterId = m_root.clusterId,
                                  .serial = Certificate::newSerial(),
                                  .name = grant.name,
                                  .key = credentials.key.publicKey(),
                                  .roles = grant.roles,
                                  .queues = grant.queues,
                                  .runAs = grant.runAs,
                                  .notBefore = grant.notBefore,
                                  .notAfter = grant.notAfter};
    credentials.certificate = certificate.signedBy(m_root.key);
    return credentials;
}

QByteArray Issuer::renewalFor(const Certificate &holder, qint64 number) const
{
    const Renewal renewal{.number = number,
                          .roots = m_anchors.roots,
                          .certificate = holder.signedBy(m_root.key),
                          .identities = m_identities,
                          .formerIdentities = m_formerIdentities,
                          .passwords = passwordsOf(holder.roles, m_passwords),
                          .formerPasswords =
                              m_formerPasswords.empty() ? Passwords() : passwordsOf(holder.roles, m_formerPasswords)};
    return renewal.signedBy(m_root.key, holder);
}

QByteArray Issuer::sign(const Revocations &revocations) const
{
    return revocations.signedBy(m_root.key, m_root.clusterId);
}

} // namespace drover::trust
