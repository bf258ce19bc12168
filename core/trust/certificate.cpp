#include "trust/certificate.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace drover::trust {

namespace {

constexpr int CertificateVersion = 1;

bool isHex(const QByteArray &text, qsizetype size)
{
    return text.size() == size && std::all_of(text.begin(), text.end(), [](char letter) {
               return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
           });
}

void requireField(bool isMet, const char *what)
{
    if (!isMet)
        throw Untrusted(QStringLiteral("malformed certificate: %1").arg(QLatin1StringView(what)));
}

QStringList textsOf(const QJsonValue &value)
{
    QStringList texts;
    for (const QJsonValue &text : value.toArray()) {
        requireField(text.isString(), "a list holds something else than texts");
        texts << text.toString();
    }
    return texts;
}

std::chrono::seconds timeOf(const QJsonValue &value)
{
    requireField(value.isDouble() && value.toInteger(-1) >= 0, "a date must be a number");
    return std::chrono::seconds(value.toInteger());
}

QJsonArray arrayOf(const QByteArrayList &texts)
{
    QJsonArray array;
    for (const QByteArray &text : texts)
        array << QString::fromUtf8(text);
    return array;
}

} // namespace

bool Certificate::isSerial(const QByteArray &text)
{
    return isHex(text, SerialSize);
}

QByteArray Certificate::encode() const
{
    QJsonArray roleNames;
    for (const Role role : roles)
        roleNames << QString::fromLatin1(roleName(role));
    QJsonObject json{{QStringLiteral("v"), CertificateVersion},
                     {QStringLiteral("cluster"), QString::fromLatin1(clusterId)},
                     {QStringLiteral("serial"), QString::fromLatin1(serial)},
                     {QStringLiteral("name"), name},
                     {QStringLiteral("key"), QString::fromLatin1(key.toText())},
                     {QStringLiteral("roles"), roleNames},
                     {QStringLiteral("from"), qint64(notBefore.count())}};
    if (!queues.isEmpty())
        json[QStringLiteral("queues")] = arrayOf(queues);
    if (!runAs.isEmpty())
        json[QStringLiteral("run_as")] = QJsonArray::fromStringList(runAs);
    if (notAfter.count() > 0)
        json[QStringLiteral("until")] = qint64(notAfter.count());
    return QJsonDocument(json).toJson(QJsonDocument::Compact);
}

Certificate Certificate::decode(const QByteArray &text)
{
    requireField(text.size() <= MaxSize, "too long");
    const QJsonDocument document = QJsonDocument::fromJson(text);
    requireField(document.isObject(), "no JSON");
    const QJsonObject json = document.object();
    requireField(json[u"v"].toInt() == CertificateVersion, "another version");

    Certificate certificate;
    certificate.clusterId = json[u"cluster"].toString().toUtf8();
    certificate.serial = json[u"serial"].toString().toUtf8();
    certificate.name = json[u"name"].toString();
    requireField(isHex(certificate.clusterId, ClusterIdSize), "no cluster id");
    requireField(isSerial(certificate.serial), "no serial");
    requireField(!certificate.name.isEmpty(), "no name");

    const std::optional<PublicKey> key = PublicKey::parse(json[u"key"].toString().toUtf8());
    requireField(key.has_value(), "no key");
    certificate.key = *key;

    for (const QString &name : textsOf(json[u"roles"])) {
        const std::optional<Role> role = parseRole(name.toUtf8());
        requireField(role.has_value(), "an unknown role");
        certificate.roles.insert(*role);
    }
    for (const QString &queue : textsOf(json[u"queues"]))
        certificate.queues << queue.toUtf8();
    certificate.runAs = textsOf(json[u"run_as"]);
    certificate.notBefore = timeOf(json[u"from"]);
    certificate.notAfter = timeOf(json[u"until"].isUndefined() ? QJsonValue(0) : json[u"until"]);
    return certificate;
}

QByteArray Certificate::signedBy(const SigningKey &root) const
{
    return SignedText::sign(root, Purpose::Certificate, clusterId, encode()).toLine();
}

} // namespace drover::trust
