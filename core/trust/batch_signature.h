#pragma once

#include "trust/signed_text.h"

#include <deque>
#include <mutex>
#include <set>
#include <vector>

namespace drover::trust {

// One Ed25519 signature for all texts that are signed at once. What is signed are the bytes
//
//     "drover batch 1" NUL <count> <root>
//
// with the number of texts, as a byte, and the root of a Merkle tree (RFC 9162, section 2.1, with BLAKE2b-256 as its
// hash). Its leaves are the messages of signed_text.h: purpose, cluster id and text. Each text carries the signature,
// its place in the batch, and the hashes that lead from it to the root. So a text proves itself without the others. A
// signature costs some 20 us and its verification 45 us, a hash 1 us.
//
// The hashes of a text's neighbours travel with it. They tell nothing of a neighbour whose text is not guessed, and
// each job's text has 128 random bits.
struct BatchSignature {
    static constexpr std::size_t MostTexts = 32; // signed at once; a signature of up to 255 is verified
    static constexpr qsizetype HashSize = 32; // bytes

    QByteArray signature;
    quint8 count = 1; // texts of the batch
    quint8 place = 0; // of this text in the batch
    std::vector<QByteArray> path{}; // RFC 9162's inclusion proof

    // Signs 1 to MostTexts texts; one signature for each, in their order.
    static std::vector<BatchSignature> sign(const SigningKey &key, Purpose purpose, const QByteArray &clusterId,
                                            const std::vector<QByteArray> &texts);

    // The count and the root that this text and path lead to; nothing if the path is not one of such a batch.
    std::optional<QByteArray> treeHead(Purpose purpose, const QByteArray &clusterId, const QByteArray &text) const;
    bool isOf(const QByteArray &treeHead, const PublicKey &key) const; // some 45 us

    // Base64 of signature, count, place and path.
    QByteArray toText() const;
    static std::optional<BatchSignature> parse(const QByteArray &text);
};

// Verifies signatures, those of one batch once. All functions may be called from several threads at once.
class SignatureVerifier
{
public:
    static constexpr std::size_t MostKnown = 4096; // good signatures that are remembered

    // Whether `signature`, as BatchSignature::toText() wrote it, is the key's for this text.
    bool isSigned(const QByteArray &signature, const PublicKey &key, Purpose purpose, const QByteArray &clusterId,
                  const QByteArray &text);
    // Whether isSigned() would be true without a verification: a signature of the batch was verified before. It costs
    // the hashes alone.
    bool isKnownSigned(const QByteArray &signature, const PublicKey &key, Purpose purpose, const QByteArray &clusterId,
                       const QByteArray &text);

private:
    bool isKnown(const QByteArray &signedHead);
    void remember(const QByteArray &signedHead);

    std::mutex m_mutex;
    std::set<QByteArray> m_known; // key, signature and tree head
    std::deque<QByteArray> m_inOrder;
};

} // namespace drover::trust
