#include "trust/key.h"

#include <cstdlib>
#include <utility>

#include <sodium.h>

namespace drover::trust {

namespace {

static_assert(crypto_sign_PUBLICKEYBYTES == PublicKey::Size);
static_assert(crypto_sign_BYTES == SigningKey::SignatureSize);

constexpr auto Base64 = QByteArray::Base64Encoding | QByteArray::OmitTrailingEquals;

// It fails only if the kernel gives no random bytes: without them there are no keys.
void requireSodium()
{
    static const bool isReady = ::sodium_init() >= 0;
    if (!isReady)
        std::abort();
}

const unsigned char *bytesOf(const QByteArray &bytes)
{
    return reinterpret_cast<const unsigned char *>(bytes.constData());
}

} // namespace

QByteArray randomBytes(qsizetype count)
{
    requireSodium();
    QByteArray bytes(count, Qt::Uninitialized);
    ::randombytes_buf(bytes.data(), std::size_t(count));
    return bytes;
}

QByteArray randomHex(qsizetype bytes)
{
    return randomBytes(bytes).toHex();
}

QByteArray toText(const QByteArray &bytes)
{
    return bytes.toBase64(Base64);
}

std::optional<QByteArray> fromText(const QByteArray &text, qsizetype size)
{
    const auto result = QByteArray::fromBase64Encoding(text, Base64 | QByteArray::AbortOnBase64DecodingErrors);
    if (!result || result.decoded.size() != size || toText(result.decoded) != text)
        return std::nullopt;
    return result.decoded;
}

std::optional<PublicKey> PublicKey::parse(const QByteArray &text)
{
    const std::optional<QByteArray> bytes = fromText(text, Size);
    if (!bytes)
        return std::nullopt;
    return PublicKey(*bytes);
}

// An Ed25519 key serves as its X25519 counterpart, as libsodium converts it.
QByteArray PublicKey::seal(const QByteArray &bytes) const
{
    requireSodium();
    std::array<unsigned char, crypto_box_PUBLICKEYBYTES> key{};
    if (m_bytes.size() != Size || ::crypto_sign_ed25519_pk_to_curve25519(key.data(), bytesOf(m_bytes)) != 0)
        return {};
    QByteArray sealed(bytes.size() + qsizetype(crypto_box_SEALBYTES), Qt::Uninitialized);
    ::crypto_box_seal(reinterpret_cast<unsigned char *>(sealed.data()), bytesOf(bytes),
                      static_cast<unsigned long long>(bytes.size()), key.data());
    return sealed;
}

bool PublicKey::verifies(const QByteArray &message, const QByteArray &signature) const
{
    requireSodium();
    return m_bytes.size() == Size && signature.size() == SigningKey::SignatureSize
        && ::crypto_sign_verify_detached(bytesOf(signature), bytesOf(message),
                                         static_cast<unsigned long long>(message.size()), bytesOf(m_bytes))
        == 0;
}

SigningKey::SigningKey(SigningKey &&other) noexcept : m_secret(other.m_secret)
{
    ::sodium_memzero(other.m_secret.data(), other.m_secret.size());
}

SigningKey &SigningKey::operator=(SigningKey &&other) noexcept
{
    std::swap(m_secret, other.m_secret);
    return *this;
}

SigningKey::~SigningKey()
{
    ::sodium_memzero(m_secret.data(), m_secret.size());
}

SigningKey SigningKey::generate()
{
    QByteArray seed = randomBytes(SeedSize);
    SigningKey key;
    key.useSeed(bytesOf(seed));
    ::sodium_memzero(seed.data(), std::size_t(seed.size()));
    return key;
}

std::optional<SigningKey> SigningKey::parse(const QByteArray &text)
{
    std::optional<QByteArray> seed = fromText(text, SeedSize);
    if (!seed)
        return std::nullopt;
    SigningKey key;
    key.useSeed(bytesOf(*seed));
    ::sodium_memzero(seed->data(), SeedSize);
    return key;
}

QByteArray SigningKey::toSecretText() const
{
    const auto *const seed = reinterpret_cast<const char *>(m_secret.data());
    return toText(QByteArray::fromRawData(seed, SeedSize));
}

PublicKey SigningKey::publicKey() const
{
    const auto *const half = reinterpret_cast<const char *>(m_secret.data() + SeedSize);
    return PublicKey(QByteArray(half, PublicKey::Size));
}

QByteArray SigningKey::sign(const QByteArray &message) const
{
    requireSodium();
    QByteArray signature(SignatureSize, Qt::Uninitialized);
    ::crypto_sign_detached(reinterpret_cast<unsigned char *>(signature.data()), nullptr, bytesOf(message),
                           static_cast<unsigned long long>(message.size()), m_secret.data());
    return signature;
}

std::optional<QByteArray> SigningKey::open(const QByteArray &sealed) const
{
    requireSodium();
    std::array<unsigned char, crypto_box_PUBLICKEYBYTES> publicHalf{};
    std::array<unsigned char, crypto_box_SECRETKEYBYTES> secret{};
    const qsizetype size = sealed.size() - qsizetype(crypto_box_SEALBYTES);
    if (size < 0 || ::crypto_sign_ed25519_pk_to_curve25519(publicHalf.data(), m_secret.data() + SeedSize) != 0)
        return std::nullopt;
    ::crypto_sign_ed25519_sk_to_curve25519(secret.data(), m_secret.data());
    QByteArray bytes(size, Qt::Uninitialized);
    const int rc =
        ::crypto_box_seal_open(reinterpret_cast<unsigned char *>(bytes.data()), bytesOf(sealed),
                               static_cast<unsigned long long>(sealed.size()), publicHalf.data(), secret.data());
    ::sodium_memzero(secret.data(), secret.size());
    return rc == 0 ? std::optional(bytes) : std::nullopt;
}

void SigningKey::useSeed(const unsigned char *seed)
{
    requireSodium();
    std::array<unsigned char, PublicKey::Size> publicHalf{};
    ::crypto_sign_seed_keypair(publicHalf.data(), m_secret.data(), seed);
}

} // namespace drover::trust
