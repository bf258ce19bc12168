#include "trust/batch_signature.h"

#include <bit>
#include <initializer_list>
#include <limits>
#include <span>

#include <sodium.h>

namespace drover::trust {

namespace {

using Hash = QByteArray;

constexpr qsizetype HeadSize = SigningKey::SignatureSize + 2;
constexpr qsizetype MostLevels = std::numeric_limits<quint8>::digits;

// RFC 9162 tells leaves from inner nodes by their first byte, so that none can pass for the other.
enum class Kind : unsigned char {
    Leaf = 0,
    Node = 1,
};

Hash hashOf(Kind kind, std::initializer_list<QByteArrayView> parts)
{
    ::crypto_generichash_state state;
    ::crypto_generichash_init(&state, nullptr, 0, BatchSignature::HashSize);
    const auto first = static_cast<unsigned char>(kind);
    ::crypto_generichash_update(&state, &first, sizeof first);
    for (const QByteArrayView part : parts)
        ::crypto_generichash_update(&state, reinterpret_cast<const unsigned char *>(part.data()),
                                    static_cast<unsigned long long>(part.size()));
    Hash hash(BatchSignature::HashSize, Qt::Uninitialized);
    ::crypto_generichash_final(&state, reinterpret_cast<unsigned char *>(hash.data()), BatchSignature::HashSize);
    return hash;
}

Hash leafOf(Purpose purpose, const QByteArray &clusterId, const QByteArray &text)
{
    return hashOf(Kind::Leaf, {SignedText::messageOf(purpose, clusterId, text)});
}

Hash parentOf(const Hash &left, const Hash &right)
{
    return hashOf(Kind::Node, {left, right});
}

// Adds the paths below the root of these leaves, and returns it: MTH and PATH of the RFC.
Hash addPaths(std::span<const Hash> leaves, std::span<BatchSignature> signatures)
{
    if (leaves.size() == 1)
        return leaves.front();
    const std::size_t half = std::bit_floor(leaves.size() - 1); // the largest power of two below their number
    const Hash left = addPaths(leaves.first(half), signatures.first(half));
    const Hash right = addPaths(leaves.subspan(half), signatures.subspan(half));
    for (BatchSignature &signature : signatures.first(half))
        signature.path.push_back(right);
    for (BatchSignature &signature : signatures.subspan(half))
        signature.path.push_back(left);
    return parentOf(left, right);
}

QByteArray headOf(std::size_t count, const Hash &root)
{
    return char(count) + root;
}

QByteArray messageOf(const QByteArray &treeHead)
{
    return QByteArrayLiteral("drover batch 1") + '\0' + treeHead;
}

// What a signature is to be of.
struct Claimed {
    BatchSignature signature;
    QByteArray head;
};

std::optional<Claimed> claimedBy(const QByteArray &signature, Purpose purpose, const QByteArray &clusterId,
                                 const QByteArray &text)
{
    std::optional<BatchSignature> parsed = BatchSignature::parse(signature);
    const std::optional<QByteArray> head = parsed ? parsed->treeHead(purpose, clusterId, text) : std::nullopt;
    return head ? std::optional(Claimed{std::move(*parsed), *head}) : std::nullopt;
}

QByteArray nameOf(const Claimed &claimed, const PublicKey &key)
{
    return key.toText() + claimed.signature.signature + claimed.head;
}

} // namespace

std::vector<BatchSignature> BatchSignature::sign(const SigningKey &key, Purpose purpose, const QByteArray &clusterId,
                                                 const std::vector<QByteArray> &texts)
{
    std::vector<Hash> leaves;
    std::vector<BatchSignature> signatures;
    for (const QByteArray &text : texts) {
        signatures.push_back({.signature = {}, .count = quint8(texts.size()), .place = quint8(leaves.size())});
        leaves.push_back(leafOf(purpose, clusterId, text));
    }
    const Hash root = addPaths(leaves, signatures);
    const QByteArray signature = key.sign(messageOf(headOf(leaves.size(), root)));
    for (BatchSignature &each : signatures)
        each.signature = signature;
    return signatures;
}

// RFC 9162, section 2.1.3.2.
std::optional<QByteArray> BatchSignature::treeHead(Purpose purpose, const QByteArray &clusterId,
                                                   const QByteArray &text) const
{
    if (place >= count)
        return std::nullopt;
    unsigned node = place;
    unsigned last = count - 1U;
    Hash root = leafOf(purpose, clusterId, text);
    for (const Hash &sibling : path) {
        if (last == 0)
            return std::nullopt;
        if (node % 2 == 1 || node == last) {
            root = parentOf(sibling, root);
            while (node % 2 == 0 && node != 0) {
                node /= 2;
                last /= 2;
            }
        } else {
            root = parentOf(root, sibling);
        }
        node /= 2;
        last /= 2;
    }
    return last == 0 ? std::optional(headOf(count, root)) : std::nullopt;
}

bool BatchSignature::isOf(const QByteArray &treeHead, const PublicKey &key) const
{
    return key.verifies(messageOf(treeHead), signature);
}

QByteArray BatchSignature::toText() const
{
    QByteArray bytes = signature;
    bytes.append(char(count)).append(char(place));
    for (const Hash &hash : path)
        bytes.append(hash);
    return trust::toText(bytes);
}

std::optional<BatchSignature> BatchSignature::parse(const QByteArray &text)
{
    const qsizetype size = text.size() * 3 / 4; // without padding
    if (size < HeadSize || size > HeadSize + MostLevels * HashSize || (size - HeadSize) % HashSize != 0)
        return std::nullopt;
    const std::optional<QByteArray> bytes = fromText(text, size);
    if (!bytes)
        return std::nullopt;
    BatchSignature result{bytes->first(SigningKey::SignatureSize), quint8((*bytes)[HeadSize - 2]),
                          quint8((*bytes)[HeadSize - 1])};
    for (qsizetype begin = HeadSize; begin < size; begin += HashSize)
        result.path.push_back(bytes->sliced(begin, HashSize));
    return result;
}

bool SignatureVerifier::isSigned(const QByteArray &signature, const PublicKey &key, Purpose purpose,
                                 const QByteArray &clusterId, const QByteArray &text)
{
    const std::optional<Claimed> claimed = claimedBy(signature, purpose, clusterId, text);
    if (!claimed)
        return false;
    const QByteArray signedHead = nameOf(*claimed, key);
    if (isKnown(signedHead))
        return true;
    if (!claimed->signature.isOf(claimed->head, key))
        return false;
    remember(signedHead);
    return true;
}

bool SignatureVerifier::isKnownSigned(const QByteArray &signature, const PublicKey &key, Purpose purpose,
                                      const QByteArray &clusterId, const QByteArray &text)
{
    const std::optional<Claimed> claimed = claimedBy(signature, purpose, clusterId, text);
    return claimed && isKnown(nameOf(*claimed, key));
}

bool SignatureVerifier::isKnown(const QByteArray &signedHead)
{
    const std::lock_guard lock(m_mutex);
    return m_known.contains(signedHead);
}

void SignatureVerifier::remember(const QByteArray &signedHead)
{
    const std::lock_guard lock(m_mutex);
    if (!m_known.insert(signedHead).second)
        return;
    m_inOrder.push_back(signedHead);
    if (m_inOrder.size() > MostKnown) {
        m_known.erase(m_inOrder.front());
        m_inOrder.pop_front();
    }
}

} // namespace drover::trust
