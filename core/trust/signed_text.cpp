#include "trust/signed_text.h"

namespace drover::trust {

namespace {

QByteArray purposeName(Purpose purpose)
{
    switch (purpose) {
    case Purpose::Certificate:
        return QByteArrayLiteral("certificate");
    case Purpose::Revocations:
        return QByteArrayLiteral("revocations");
    case Purpose::Job:
        return QByteArrayLiteral("job");
    case Purpose::Schedule:
        return QByteArrayLiteral("schedule");
    case Purpose::Renewal:
        return QByteArrayLiteral("renewal");
    case Purpose::KeyRequest:
        return QByteArrayLiteral("key request");
    case Purpose::Audit:
        return QByteArrayLiteral("audit");
    }
    return {};
}

} // namespace

QByteArray SignedText::messageOf(Purpose purpose, const QByteArray &clusterId, const QByteArray &text)
{
    return "drover " + purposeName(purpose) + " 1" + '\0' + clusterId + '\0' + text;
}

SignedText SignedText::sign(const SigningKey &key, Purpose purpose, const QByteArray &clusterId, QByteArray text)
{
    QByteArray signature = key.sign(messageOf(purpose, clusterId, text));
    return {std::move(text), std::move(signature)};
}

bool SignedText::isSignedBy(const PublicKey &key, Purpose purpose, const QByteArray &clusterId) const
{
    return key.verifies(messageOf(purpose, clusterId, text), signature);
}

QByteArray SignedText::toLine() const
{
    return toText(signature) + ' ' + text;
}

SignedText SignedText::fromLine(const QByteArray &line)
{
    const qsizetype space = line.indexOf(' ');
    const std::optional<QByteArray> signature = fromText(line.first(qMax(space, 0)), SigningKey::SignatureSize);
    if (!signature)
        throw Untrusted(QStringLiteral("malformed signature"));
    QByteArray text = line.sliced(space + 1);
    if (text.endsWith('\n'))
        text.chop(1);
    if (text.contains('\n'))
        throw Untrusted(QStringLiteral("malformed signed line"));
    return {text, *signature};
}

} // namespace drover::trust
