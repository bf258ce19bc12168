#include "trust/batch_signature.h"

#include "fuzz/harness/target.h"

using namespace drover;

// The text of a job's signature. No text is signed but those that were.
DROVER_FUZZ_TARGET(batch_signature, Form::Bytes)
{
    static const trust::SigningKey key = trust::SigningKey::generate();
    static const auto signatures = trust::BatchSignature::sign(key, trust::Purpose::Job, "cluster", {"a", "b", "c"});
    static trust::SignatureVerifier verifier;
    const auto isSigned = [](const QByteArray &signature, const QByteArray &text) {
        return verifier.isSigned(signature, key.publicKey(), trust::Purpose::Job, "cluster", text);
    };
    require(!isSigned(input, "d"), "a text is signed that never was");
    require(!isSigned(signatures[0].toText(), input) || input == "a", "a signature holds for another text");
    const std::optional<trust::BatchSignature> parsed = trust::BatchSignature::parse(input);
    if (parsed)
        requireEqual(parsed->toText(), input, "the text of a signature");
}
