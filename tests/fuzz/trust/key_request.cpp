#include "app/trust/new_key.h"
#include "fuzz/harness/target.h"
#include "trust/errors.h"

using namespace drover;

// The word that a person gives to an administrator, or the text that is signed in it.
DROVER_FUZZ_TARGET(key_request, Form::Json)
{
    static const trust::SigningKey holder = trust::SigningKey::generate();
    const QByteArray clusterId = "fuzz";
    (void)unlessRefused<trust::Untrusted>([&] { return app::KeyRequestText::parse(input); });
    if (input.contains('\n'))
        return;
    const app::KeyRequestText asked{trust::SignedText::sign(holder, trust::Purpose::KeyRequest, clusterId, input)};
    const auto read = unlessRefused<trust::Untrusted>([&] { return app::KeyRequestText::parse(asked.word()); });
    if (!read)
        return;
    require(read->text.isSignedBy(holder.publicKey(), trust::Purpose::KeyRequest, clusterId), "the signature is lost");
    require(trust::PublicKey::parse(read->newKey.toText()) == read->newKey, "the new key is another");
}
