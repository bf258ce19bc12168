#include "trust/renewal.h"

#include "fuzz/harness/target.h"
#include "trust/errors.h"
#include "trust/issuer.h"

#include <QJsonArray>
#include <QJsonDocument>

using namespace drover;

namespace {

// A holder of a cluster whose root key is known here.
struct Holder {
    const trust::Issuer issuer = trust::Issuer::found("fuzz", {});
    const trust::Credentials credentials =
        issuer.issue({.name = QStringLiteral("alice"), .roles = {trust::Role::Submit}});
};

QByteArray inJson(const QByteArray &text)
{
    const QByteArray array = QJsonDocument(QJsonArray{QString::fromUtf8(text)}).toJson(QJsonDocument::Compact);
    return array.sliced(2, array.size() - 4);
}

// The line of a step. In its text <serial>, <root>, <certificate> and <sealed> stand for what fits the holder.
QByteArray lineOf(const Holder &holder, QByteArray text)
{
    const trust::Certificate own = holder.credentials.ownCertificate();
    const QByteArray sealed = own.key.seal(R"({"passwords":{"submit":"new"},"former_passwords":{"submit":"old"}})");
    text.replace("<serial>", own.serial);
    text.replace("<root>", holder.issuer.root().key.publicKey().toText());
    text.replace("<certificate>", inJson(holder.credentials.certificate));
    text.replace("<sealed>", sealed.toBase64());
    return trust::SignedText::sign(holder.issuer.root().key, trust::Purpose::Renewal, holder.issuer.anchors().clusterId,
                                   text)
        .toLine();
}

// A refused renewal changes nothing. An accepted one fits the holder's file.
void take(const Holder &holder, const QByteArray &node)
{
    trust::Credentials mine = holder.credentials.copy();
    const QByteArray before = mine.encode();
    const auto isTaken = fuzz::unlessRefused<trust::Untrusted>([&] { return trust::takeRenewals(mine, node); });
    const QByteArray after = mine.encode();
    if (!isTaken.value_or(false))
        return fuzz::requireEqual(after, before, "credentials that have taken nothing");
    fuzz::requireEqual(trust::Credentials::decode(after).encode(), after, "the credentials file");
    fuzz::requireEqual(mine.ownCertificate().serial, holder.credentials.ownCertificate().serial, "the serial");
    const auto isTakenTwice = fuzz::unlessRefused<trust::Untrusted>([&] { return trust::takeRenewals(mine, node); });
    fuzz::require(!isTakenTwice.value_or(false), "a step is taken twice");
}

} // namespace

// The node of a holder, as it is, and with each of its lines as the text of a step that the root key has signed.
DROVER_FUZZ_TARGET(renewal, Form::Json)
{
    static const Holder holder;
    take(holder, input);
    QByteArray node;
    for (const QByteArray &text : input.split('\n'))
        node = trust::withLine(node, lineOf(holder, text));
    require(node.count('\n') < trust::Renewal::MostLines, "a node keeps more lines than it may");
    take(holder, node);
}
