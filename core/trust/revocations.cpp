#include "trust/revocations.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace drover::trust {

namespace {

constexpr int RevocationsVersion = 1;

} // namespace

QByteArray Revocations::encode() const
{
    QJsonArray list;
    for (const QByteArray &serial : serials)
        list << QString::fromLatin1(serial);
    return QJsonDocument(QJsonObject{{QStringLiteral("v"), RevocationsVersion},
                                     {QStringLiteral("number"), number},
                                     {QStringLiteral("serials"), list}})
        .toJson(QJsonDocument::Compact);
}

Revocations Revocations::decode(const QByteArray &text)
{
    const QJsonObject json = QJsonDocument::fromJson(text).object();
    Revocations revocations;
    revocations.number = json[u"number"].toInteger(-1);
    if (json[u"v"].toInt() != RevocationsVersion || revocations.number < 0 || !json[u"serials"].isArray())
        throw Untrusted(QStringLiteral("malformed revocation list"));
    for (const QJsonValue &serial : json[u"serials"].toArray())
        revocations.serials.insert(serial.toString().toLatin1());
    return revocations;
}

QByteArray Revocations::signedBy(const SigningKey &root, const QByteArray &clusterId) const
{
    return SignedText::sign(root, Purpose::Revocations, clusterId, encode()).toLine();
}

} // namespace drover::trust
