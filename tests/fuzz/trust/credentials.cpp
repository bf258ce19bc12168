#include "trust/credentials.h"

#include "fuzz/harness/target.h"
#include "trust/errors.h"
#include "trust/issuer.h"

using namespace drover;

// A credentials file, or that of a root key.
DROVER_FUZZ_TARGET(credentials, Form::Json)
{
    using Refusal = trust::BadCredentials;
    if (const auto credentials = unlessRefused<Refusal>([&] { return trust::Credentials::decode(input); })) {
        const QByteArray file = credentials->encode();
        requireEqual(trust::Credentials::decode(file).encode(), file, "the credentials file");
        (void)credentials->ownCertificate();
        (void)credentials->digestSecret(trust::Role::Submit);
    }
    if (const auto root = unlessRefused<Refusal>([&] { return trust::RootKey::decode(input); }))
        requireEqual(trust::RootKey::decode(root->encode()).encode(), root->encode(), "the file of a root key");
}
