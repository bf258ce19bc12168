#pragma once

#include "trust/errors.h"

#include <QByteArray>

#include <array>
#include <optional>

namespace drover::trust {

// Ed25519 (RFC 8032), by libsodium. Texts of keys and signatures are base64 without padding.

// Random bytes of the kernel's generator.
QByteArray randomBytes(qsizetype count);
// Random bytes as lower-case hex digits, two a byte.
QByteArray randomHex(qsizetype bytes);

QByteArray toText(const QByteArray &bytes);
// Nothing if the text is not strictly base64 of exactly `size` bytes.
std::optional<QByteArray> fromText(const QByteArray &text, qsizetype size);

class PublicKey
{
public:
    static constexpr qsizetype Size = 32; // bytes

    PublicKey() = default; // verifies nothing

    static std::optional<PublicKey> parse(const QByteArray &text);
    QByteArray toText() const { return trust::toText(m_bytes); }

    bool verifies(const QByteArray &message, const QByteArray &signature) const;

    // Encrypts bytes so that the holder of the private half alone can open them: SigningKey::open(). Who has sealed
    // them does not show. Empty if this is no key.
    QByteArray seal(const QByteArray &bytes) const;

    friend bool operator==(const PublicKey &, const PublicKey &) = default;

private:
    friend class SigningKey;
    explicit PublicKey(QByteArray bytes) : m_bytes(std::move(bytes)) { }

    QByteArray m_bytes;
};

// The private half of a key. Its memory is overwritten when it goes. const functions may be called from several threads
// at once.
class SigningKey
{
public:
    static constexpr qsizetype SignatureSize = 64; // bytes

    SigningKey(SigningKey &&other) noexcept;
    SigningKey &operator=(SigningKey &&other) noexcept;
    SigningKey(const SigningKey &) = delete;
    SigningKey &operator=(const SigningKey &) = delete;
    ~SigningKey();

    static SigningKey generate();
    // Reads what toSecretText() wrote. Nothing if it is not a key.
    static std::optional<SigningKey> parse(const QByteArray &text);

    QByteArray toSecretText() const;
    PublicKey publicKey() const;
    QByteArray sign(const QByteArray &message) const; // some 20 us
    // What PublicKey::seal() has sealed to this key; nothing if it was not.
    std::optional<QByteArray> open(const QByteArray &sealed) const;

private:
    static constexpr std::size_t SeedSize = 32;

    SigningKey() = default;
    void useSeed(const unsigned char *seed);

    std::array<unsigned char, 64> m_secret{}; // the seed, then the public key
};

} // namespace drover::trust
