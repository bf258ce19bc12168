#include "trust/certificate.h"

#include "fuzz/harness/target.h"
#include "trust/errors.h"
#include "trust/revocations.h"
#include "trust/signed_text.h"
#include "trust/trust_store.h"

using namespace drover;

namespace {

template <class Record>
std::optional<Record> requireStableText(const QByteArray &input)
{
    const auto record = fuzz::unlessRefused<trust::Untrusted>([&] { return Record::decode(input); });
    if (record)
        fuzz::requireEqual(Record::decode(record->encode()).encode(), record->encode(), "the signed form");
    return record;
}

} // namespace

// A signed line, or the text of one: a certificate or a list of revocations.
DROVER_FUZZ_TARGET(certificate, Form::Json)
{
    static const trust::SigningKey root = trust::SigningKey::generate();
    if (const auto line = unlessRefused<trust::Untrusted>([&] { return trust::SignedText::fromLine(input); }))
        require(input.startsWith(line->toLine()), "the line of a signed text is another");
    const auto revocations = requireStableText<trust::Revocations>(input);
    const auto certificate = requireStableText<trust::Certificate>(input);
    if (!certificate || input.contains('\n'))
        return;
    trust::TrustStore store({certificate->clusterId, {root.publicKey()}});
    const trust::Certificate &known = store.add(certificate->signedBy(root));
    const auto isValid = unlessRefused<trust::Untrusted>(
        [&] { return store.require(known, {trust::Role::Submit}, known.notBefore), true; });
    require(!isValid || known.roles.contains(trust::Role::Submit), "a certificate has a role that it does not name");
}
