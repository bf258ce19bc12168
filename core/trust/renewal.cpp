#include "trust/renewal.h"

#include "trust/role_json.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <utility>

namespace drover::trust {

namespace {

constexpr int RenewalVersion = 1;

// Roles of later versions are left out.
std::map<Role, QByteArray> byKnownRole(const QJsonValue &json)
{
    std::map<Role, QByteArray> texts;
    const QJsonObject object = json.toObject();
    for (auto it = object.begin(); it != object.end(); ++it) {
        if (const std::optional<Role> role = parseRole(it.key().toUtf8()))
            texts[*role] = it.value().toString().toUtf8();
    }
    return texts;
}

void requireSound(bool isMet)
{
    if (!isMet)
        throw Untrusted(QStringLiteral("malformed renewal of credentials"));
}

// The steps' number; -1: malformed.
qint64 stepOf(const QByteArray &text)
{
    return QJsonDocument::fromJson(text).object()[u"number"].toInteger(-1);
}

bool isOfARoot(const SignedText &line, const Anchors &anchors)
{
    return std::any_of(anchors.roots.begin(), anchors.roots.end(), [&](const PublicKey &root) {
        return line.isSignedBy(root, Purpose::Renewal, anchors.clusterId);
    });
}

// A verified text.
Renewal decodeStep(const QByteArray &text, const SigningKey &holder, const QByteArray &serial)
{
    const QJsonObject json = QJsonDocument::fromJson(text).object();
    requireSound(json[u"v"].toInt() == RenewalVersion && json[u"serial"].toString().toLatin1() == serial);
    Renewal renewal{.number = json[u"number"].toInteger(),
                    .certificate = json[u"certificate"].toString().toUtf8(),
                    .identities = byKnownRole(json[u"identities"]),
                    .formerIdentities = byKnownRole(json[u"former_identities"])};
    for (const QJsonValue &root : json[u"roots"].toArray()) {
        const std::optional<PublicKey> key = PublicKey::parse(root.toString().toLatin1());
        requireSound(key.has_value());
        renewal.roots.push_back(*key);
    }
    const std::optional<QByteArray> opened = holder.open(QByteArray::fromBase64(json[u"sealed"].toString().toLatin1()));
    requireSound(opened.has_value() && !renewal.roots.empty());
    const QJsonObject secrets = QJsonDocument::fromJson(*opened).object();
    renewal.passwords = byKnownRole(secrets[u"passwords"]);
    renewal.formerPasswords = byKnownRole(secrets[u"former_passwords"]);
    return renewal;
}

// The certificate must stay the holder's.
void takeStep(Credentials &mine, const Renewal &renewal, const QByteArray &serial)
{
    const Certificate certificate = TrustStore({mine.anchors.clusterId, renewal.roots}).add(renewal.certificate);
    requireSound(certificate.serial == serial && certificate.key == mine.key.publicKey());
    mine.anchors.roots = renewal.roots;
    mine.certificate = renewal.certificate;
    mine.identities = renewal.identities;
    mine.formerIdentities = renewal.formerIdentities;
    mine.passwords = renewal.passwords;
    mine.formerPasswords = renewal.formerPasswords;
    mine.renewal = renewal.number;
}

} // namespace

QByteArray Renewal::signedBy(const SigningKey &root, const Certificate &holder) const
{
    QJsonArray list;
    for (const PublicKey &key : roots)
        list << QString::fromLatin1(key.toText());
    const QJsonObject secrets{{QStringLiteral("passwords"), jsonByRole(passwords)},
                              {QStringLiteral("former_passwords"), jsonByRole(formerPasswords)}};
    const QByteArray sealed = holder.key.seal(QJsonDocument(secrets).toJson(QJsonDocument::Compact)).toBase64();
    const QJsonObject json{{QStringLiteral("v"), RenewalVersion},
                           {QStringLiteral("number"), number},
                           {QStringLiteral("serial"), QString::fromLatin1(holder.serial)},
                           {QStringLiteral("roots"), list},
                           {QStringLiteral("certificate"), QString::fromUtf8(certificate)},
                           {QStringLiteral("identities"), jsonByRole(identities)},
                           {QStringLiteral("former_identities"), jsonByRole(formerIdentities)},
                           {QStringLiteral("sealed"), QString::fromLatin1(sealed)}};
    return SignedText::sign(root, Purpose::Renewal, holder.clusterId,
                            QJsonDocument(json).toJson(QJsonDocument::Compact))
        .toLine();
}

QByteArray withLine(const QByteArray &node, const QByteArray &line)
{
    const qint64 number = stepOf(SignedText::fromLine(line).text);
    QByteArrayList lines;
    QByteArrayList later;
    for (const QByteArray &other : node.split('\n')) {
        const qint64 step = stepOf(other.sliced(other.indexOf(' ') + 1));
        if (!other.isEmpty() && step != number)
            (step < number ? lines : later) << other;
    }
    lines << line << later;
    return lines.sliced(std::max<qsizetype>(0, lines.size() - Renewal::MostLines)).join('\n');
}

bool takeRenewals(Credentials &mine, const QByteArray &node)
{
    requireSound(node.size() <= Renewal::MaxSize);
    const QByteArray serial = mine.ownCertificate().serial;
    Credentials next = mine.copy();
    bool isBelieved = node.isEmpty();
    for (const QByteArray &line : node.split('\n')) {
        if (line.isEmpty())
            continue;
        const SignedText text = SignedText::fromLine(line);
        if (!isOfARoot(text, next.anchors))
            continue;
        isBelieved = true;
        if (stepOf(text.text) > next.renewal)
            takeStep(next, decodeStep(text.text, next.key, serial), serial);
    }
    if (!isBelieved)
        throw Untrusted(
            QStringLiteral("the renewal of your credentials is not signed by a root key that they believe"));
    if (next.renewal == mine.renewal)
        return false;
    mine = std::move(next);
    return true;
}

void addNewSecrets(Credentials &administrator, const PublicKey &newRoot)
{
    administrator.anchors.roots.push_back(newRoot);
    administrator.formerPasswords = administrator.passwords;
    administrator.formerIdentities = administrator.identities;
    for (const Role role : AllRoles) {
        administrator.passwords[role] = newPassword();
        administrator.identities[role] = digestIdentity(roleName(role), administrator.passwords[role]);
    }
    ++administrator.renewal;
}

void dropFormerSecrets(Credentials &administrator, const SigningKey &newRoot)
{
    const Certificate certificate = administrator.ownCertificate();
    administrator.anchors.roots = {newRoot.publicKey()};
    administrator.certificate = certificate.signedBy(newRoot);
    administrator.formerPasswords.clear();
    administrator.formerIdentities.clear();
    ++administrator.renewal;
}

void dropNewSecrets(Credentials &administrator, const SigningKey &oldRoot)
{
    const Certificate certificate = administrator.ownCertificate();
    administrator.anchors.roots = {oldRoot.publicKey()};
    administrator.certificate = certificate.signedBy(oldRoot);
    administrator.passwords = std::exchange(administrator.formerPasswords, {});
    administrator.identities = std::exchange(administrator.formerIdentities, {});
    ++administrator.renewal;
}

} // namespace drover::trust
