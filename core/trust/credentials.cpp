#include "trust/credentials.h"

#include "trust/private_file.h"
#include "trust/role_json.h"

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace drover::trust {

namespace {

constexpr int CredentialsVersion = 1;
constexpr qsizetype PasswordBytes = 24;

std::map<Role, QByteArray> byRole(const QJsonObject &json)
{
    std::map<Role, QByteArray> texts;
    for (auto it = json.begin(); it != json.end(); ++it) {
        const std::optional<Role> role = parseRole(it.key().toUtf8());
        requireIntact(role.has_value(), "an unknown role");
        texts[*role] = it.value().toString().toUtf8();
    }
    return texts;
}

Anchors anchorsOf(const QJsonObject &json)
{
    Anchors anchors{json[u"id"].toString().toUtf8(), {}};
    for (const QJsonValue &text : json[u"roots"].toArray()) {
        const std::optional<PublicKey> root = PublicKey::parse(text.toString().toUtf8());
        requireIntact(root.has_value(), "a root key");
        anchors.roots.push_back(*root);
    }
    requireIntact(!anchors.roots.empty(), "no root key");
    return anchors;
}

// Clusters that older versions closed have longer names of users than their roles'.
QByteArray secretOf(Role role, const QByteArray &password, const Identities &identities)
{
    const auto identity = identities.find(role);
    const QByteArray user = identity == identities.end() ? roleName(role) : identity->second.split(':').front();
    return user + ':' + password;
}

} // namespace

QByteArray Credentials::encode() const
{
    QJsonArray roots;
    for (const PublicKey &root : anchors.roots)
        roots << QString::fromLatin1(root.toText());
    return QJsonDocument(QJsonObject{{QStringLiteral("v"), CredentialsVersion},
                                     {QStringLiteral("cluster"), QString::fromUtf8(cluster)},
                                     {QStringLiteral("id"), QString::fromLatin1(anchors.clusterId)},
                                     {QStringLiteral("servers"), servers},
                                     {QStringLiteral("roots"), roots},
                                     {QStringLiteral("key"), QString::fromLatin1(key.toSecretText())},
                                     {QStringLiteral("certificate"), QString::fromUtf8(certificate)},
                                     {QStringLiteral("passwords"), jsonByRole(passwords)},
                                     {QStringLiteral("identities"), jsonByRole(identities)},
                                     {QStringLiteral("former_passwords"), jsonByRole(formerPasswords)},
                                     {QStringLiteral("former_identities"), jsonByRole(formerIdentities)},
                                     {QStringLiteral("renewal"), renewal}})
        .toJson(QJsonDocument::Indented);
}

Credentials Credentials::decode(const QByteArray &bytes)
{
    const QJsonDocument document = QJsonDocument::fromJson(bytes);
    requireIntact(document.isObject(), "no JSON");
    const QJsonObject json = document.object();
    requireIntact(json[u"v"].toInt() == CredentialsVersion, "another version");

    std::optional<SigningKey> key = SigningKey::parse(json[u"key"].toString().toUtf8());
    requireIntact(key.has_value(), "no private key");
    Credentials credentials{.cluster = json[u"cluster"].toString().toUtf8(),
                            .servers = json[u"servers"].toString(),
                            .anchors = anchorsOf(json),
                            .key = std::move(*key),
                            .certificate = json[u"certificate"].toString().toUtf8(),
                            .passwords = byRole(json[u"passwords"].toObject()),
                            .identities = byRole(json[u"identities"].toObject()),
                            .formerPasswords = byRole(json[u"former_passwords"].toObject()),
                            .formerIdentities = byRole(json[u"former_identities"].toObject()),
                            .renewal = json[u"renewal"].toInteger()};
    try {
        requireIntact(credentials.ownCertificate().key == credentials.key.publicKey(),
                      "the certificate is of another key");
    } catch (const Untrusted &error) {
        throw BadCredentials(QStringLiteral("damaged: %1").arg(QString::fromUtf8(error.what())));
    }
    return credentials;
}

Credentials Credentials::read(const QString &path)
{
    const QByteArray bytes = readPrivateFile(path);
    try {
        return decode(bytes);
    } catch (const BadCredentials &error) {
        throw BadCredentials(QStringLiteral("the credentials file %1 is %2; ask for a new one")
                                 .arg(path, QString::fromUtf8(error.what())));
    }
}

void Credentials::write(const QString &path) const
{
    writePrivateFile(path, encode());
}

Certificate Credentials::ownCertificate() const
{
    return TrustStore(anchors).add(certificate);
}

Credentials Credentials::copy() const
{
    return decode(encode());
}

QByteArrayList Credentials::digestSecrets() const
{
    QByteArrayList secrets;
    for (const auto &[role, password] : passwords)
        secrets << secretOf(role, password, identities);
    for (const auto &[role, password] : formerPasswords)
        secrets << secretOf(role, password, formerIdentities);
    return secrets;
}

QByteArray Credentials::digestSecret(Role role) const
{
    const auto it = passwords.find(role);
    return it == passwords.end() ? QByteArray() : secretOf(role, it->second, identities);
}

QByteArray newPassword()
{
    return randomBytes(PasswordBytes).toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals);
}

QByteArray digestIdentity(const QByteArray &user, const QByteArray &password)
{
    return user + ':' + QCryptographicHash::hash(user + ':' + password, QCryptographicHash::Sha1).toBase64();
}

} // namespace drover::trust
