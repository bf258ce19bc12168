#include "app/trust/new_key.h"

#include "app/environment/or_denied.h"
#include "recipes/blocks/persistent.h"
#include "trust/private_file.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

namespace drover::app {

namespace {

constexpr auto OneWord = QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals;

QString nextFile(const QString &file)
{
    return file + QStringLiteral(".next");
}

// Throws BadCredentials.
trust::SigningKey readOrMake(const trust::Credentials &present, const QString &path)
{
    if (QFile::exists(path)) {
        std::optional<trust::SigningKey> key = trust::SigningKey::parse(trust::readPrivateFile(path).trimmed());
        if (!key)
            throw trust::BadCredentials(QStringLiteral("%1 is damaged: delete it").arg(path));
        if (key->publicKey() != present.key.publicKey())
            return std::move(*key);
    }
    trust::SigningKey key = trust::SigningKey::generate();
    trust::writePrivateFile(path, key.toSecretText() + '\n');
    return key;
}

// Not that of a damaged file, nor of one that other users could read.
bool holdsKeyOf(const trust::Credentials &present, const QString &path)
{
    try {
        const std::optional<trust::SigningKey> key = trust::SigningKey::parse(trust::readPrivateFile(path).trimmed());
        return key && key->publicKey() == present.key.publicKey();
    } catch (const trust::BadCredentials &) {
        return false;
    }
}

trust::Certificate successorOf(const trust::Certificate &old, const trust::PublicKey &key, std::chrono::seconds now)
{
    trust::Certificate next = old;
    next.serial = trust::Certificate::newSerial();
    next.key = key;
    next.notBefore = now;
    if (old.notAfter.count() > 0)
        next.notAfter = now + (old.notAfter - old.notBefore);
    return next;
}

// Another person who has seen the new key can ask for a certificate of it, in their own name.
bool fulfils(const trust::Certificate &published, const KeyRequest &request)
{
    const trust::Certificate &old = request.holder;
    return published.key == request.newKey && published.name == old.name && published.roles == old.roles
        && published.queues == old.queues && published.runAs == old.runAs;
}

std::chrono::seconds present(const jobs::Cluster &cluster)
{
    return std::chrono::duration_cast<std::chrono::seconds>(cluster.zk.loop().wallClock());
}

async::Task<void> readRevocationsOrDeny(jobs::Cluster cluster, trust::TrustStore &known)
{
    try {
        co_await jobs::readRevocations(cluster, known);
    } catch (const trust::Untrusted &error) {
        throw CommandError(ExitDenied, QString::fromUtf8(error.what()));
    }
}

QString serialText(const trust::Certificate &certificate)
{
    return QStringLiteral("serial %1").arg(QString::fromLatin1(certificate.serial));
}

} // namespace

bool NewKey::abandon(const trust::Credentials &present, const QString &file)
{
    QFile next(nextFile(file));
    if (!next.exists())
        return false;
    const bool isUsed = holdsKeyOf(present, next.fileName());
    if (!next.remove())
        throw CommandError(ExitError, QStringLiteral("cannot delete %1: %2").arg(next.fileName(), next.errorString()));
    return !isUsed;
}

NewKey::NewKey(const trust::Credentials &present, QString file)
    : m_file(std::move(file)), m_key(trust::SigningKey::generate())
{
    orDenied([&] { m_key = readOrMake(present, nextFile(m_file)); });
}

KeyRequestText KeyRequestText::sign(const trust::Credentials &present, const trust::PublicKey &newKey)
{
    const QByteArray serial = present.ownCertificate().serial;
    const QJsonObject json{{QStringLiteral("serial"), QString::fromLatin1(serial)},
                           {QStringLiteral("key"), QString::fromLatin1(newKey.toText())}};
    return {trust::SignedText::sign(present.key, trust::Purpose::KeyRequest, present.anchors.clusterId,
                                    QJsonDocument(json).toJson(QJsonDocument::Compact)),
            serial, newKey};
}

QByteArray KeyRequestText::word() const
{
    return text.toLine().toBase64(OneWord);
}

KeyRequestText KeyRequestText::parse(const QByteArray &word)
{
    const trust::SignedText text = trust::SignedText::fromLine(QByteArray::fromBase64(word, OneWord));
    const QJsonObject json = QJsonDocument::fromJson(text.text).object();
    const std::optional<trust::PublicKey> key = trust::PublicKey::parse(json[u"key"].toString().toLatin1());
    if (!key)
        throw trust::Untrusted(QStringLiteral("it names no key"));
    return {text, json[u"serial"].toString().toLatin1(), *key};
}

void NewKey::use(const trust::Credentials &present, const QByteArray &certificate)
{
    orDenied([&] {
        trust::Credentials next = present.copy();
        next.key = trust::SigningKey::parse(m_key.toSecretText()).value();
        next.certificate = certificate;
        next.copy().write(m_file); // a copy is checked
        QFile::remove(nextFile(m_file));
    });
}

async::Task<KeyRequest> readRequest(jobs::Cluster cluster, trust::TrustStore known, QByteArray word)
{
    try {
        const KeyRequestText request = KeyRequestText::parse(word);
        co_await jobs::readRevocations(cluster, known);
        const trust::Certificate holder = co_await jobs::certificateOf(cluster, known, request.serial);
        known.require(holder, holder.roles, present(cluster));
        if (!request.text.isSignedBy(holder.key, trust::Purpose::KeyRequest, known.anchors().clusterId))
            throw trust::Untrusted(QStringLiteral("it is not signed with the key of %1").arg(holder.name));
        co_return KeyRequest{holder, request.newKey};
    } catch (const trust::Untrusted &error) {
        throw CommandError(ExitDenied,
                           QStringLiteral("the request is refused: %1").arg(QString::fromUtf8(error.what())));
    }
}

async::Task<QByteArray> publishedFor(jobs::Cluster cluster, trust::TrustStore known, KeyRequest request)
{
    co_await readRevocationsOrDeny(cluster, known);
    const std::vector<jobs::PublishedCertificate> published = co_await jobs::readCertificates(cluster, known);
    bool isRevoked = false;
    for (const jobs::PublishedCertificate &one : published) {
        if (!one.certificate || !fulfils(*one.certificate, request))
            continue;
        if (known.revocations().serials.contains(one.serial)) {
            isRevoked = true;
            continue;
        }
        const zk::Answer<zk::Node> node =
            co_await recipes::Persistent(cluster.zk).get(cluster.layout.certificate(one.serial));
        if (node.ok())
            co_return node->data;
    }
    if (isRevoked)
        throw CommandError(ExitDenied,
                           QStringLiteral("the new key of %1 has been revoked since it was signed; %1 abandons it with "
                                          "drover key rotate --abandon, and asks again")
                               .arg(request.holder.name));
    co_return QByteArray();
}

async::Task<QByteArray> certify(const Administrator &administrator, KeyRequest request)
{
    const jobs::Cluster cluster = administrator.cluster;
    const trust::Issuer &issuer = administrator.issuer;
    const QByteArray there = co_await publishedFor(cluster, administrator.known(), request);
    if (!there.isEmpty())
        co_return there;
    const trust::Certificate next = successorOf(request.holder, request.newKey, present(cluster));
    trust::Credentials carrier{.cluster = issuer.root().cluster, .anchors = issuer.anchors()};
    carrier.certificate = next.signedBy(issuer.root().key);
    const jobs::AuditNote note(cluster, jobs::AuditAction::KeyRotated, next.name, serialText(next));
    co_await jobs::publishCertificate(cluster, carrier, note);
    co_return carrier.certificate;
}

async::Task<void> revokeOld(jobs::Cluster cluster, const Administrator &administrator, trust::Certificate old)
{
    const std::set<QByteArray> serials{old.serial};
    const jobs::AuditNote note(cluster, jobs::AuditAction::KeyRevoked, old.name, serialText(old));
    co_await administrator.revocations.add(cluster, administrator.issuer, serials, note);
}

} // namespace drover::app
