#include "trust/batch_signature.h"

#include <QTest>

using namespace drover::trust;

class BatchSignatureTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void eachTextProvesItself();
    void aChangedBitIsNoticed();
    void aTextMeansNothingElsewhere();
    void aNodeOfTheTreeIsNoText();
    void malformedSignaturesAreRefused();
    void rememberedSignaturesHoldForTheirTextAlone();

private:
    static std::vector<QByteArray> texts(std::size_t count)
    {
        std::vector<QByteArray> texts;
        for (std::size_t i = 0; i < count; ++i)
            texts.push_back("text " + QByteArray::number(qulonglong(i)));
        return texts;
    }
    std::vector<BatchSignature> sign(const std::vector<QByteArray> &texts) const
    {
        return BatchSignature::sign(m_alice, Purpose::Job, m_cluster, texts);
    }
    // With a verifier that has seen nothing before.
    bool isSigned(const QByteArray &signature, const QByteArray &text) const
    {
        return SignatureVerifier().isSigned(signature, m_alice.publicKey(), Purpose::Job, m_cluster, text);
    }

    const QByteArray m_cluster = "cluster";
    const SigningKey m_alice = SigningKey::generate();
};

void BatchSignatureTest::eachTextProvesItself()
{
    for (std::size_t count = 1; count <= BatchSignature::MostTexts; ++count) {
        const std::vector<QByteArray> all = texts(count);
        const std::vector<BatchSignature> signatures = sign(all);
        QCOMPARE(signatures.size(), count);
        for (std::size_t i = 0; i < count; ++i) {
            const QByteArray written = signatures[i].toText();
            QVERIFY2(isSigned(written, all[i]), QByteArray::number(qulonglong(count)) + ' ' + all[i]);
            QCOMPARE(BatchSignature::parse(written)->toText(), written);
            for (std::size_t other = 0; other < count; ++other)
                QCOMPARE(isSigned(written, all[other]), other == i);
        }
    }
}

void BatchSignatureTest::aChangedBitIsNoticed()
{
    const std::vector<QByteArray> all = texts(5);
    const std::vector<BatchSignature> signatures = sign(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const QByteArray bytes = *fromText(signatures[i].toText(), signatures[i].toText().size() * 3 / 4);
        for (qsizetype bit = 0; bit < bytes.size() * 8; ++bit) {
            QByteArray changed = bytes;
            changed[bit / 8] = char(changed[bit / 8] ^ (1 << bit % 8));
            QVERIFY2(!isSigned(toText(changed), all[i]), QByteArray::number(bit));
        }
    }
}

void BatchSignatureTest::aTextMeansNothingElsewhere()
{
    const QByteArray signature = sign({"a", "b"}).front().toText();
    SignatureVerifier verifier;
    const auto isSigned = [&](const PublicKey &key, Purpose purpose, const QByteArray &cluster) {
        return verifier.isSigned(signature, key, purpose, cluster, "a");
    };
    QVERIFY(isSigned(m_alice.publicKey(), Purpose::Job, m_cluster));
    QVERIFY(!isSigned(m_alice.publicKey(), Purpose::Schedule, m_cluster));
    QVERIFY(!isSigned(m_alice.publicKey(), Purpose::Job, "another"));
    QVERIFY(!isSigned(SigningKey::generate().publicKey(), Purpose::Job, m_cluster));
    // A signature of one text alone is not one of a batch, and the other way round.
    const SignedText alone = SignedText::sign(m_alice, Purpose::Job, m_cluster, "a");
    const BatchSignature asBatch{alone.signature};
    QVERIFY(!this->isSigned(asBatch.toText(), "a"));
    const SignedText asAlone{"a", sign({"a"}).front().signature};
    QVERIFY(!asAlone.isSignedBy(m_alice.publicKey(), Purpose::Job, m_cluster));
}

// The second preimage of a tree without prefixes: two hashes side by side, as if they were a text.
void BatchSignatureTest::aNodeOfTheTreeIsNoText()
{
    const std::vector<BatchSignature> signatures = sign(texts(4));
    const QByteArray left = signatures[1].path.front(); // leaf 0
    const QByteArray right = signatures[0].path.front(); // leaf 1
    BatchSignature forged = signatures[0];
    forged.path.erase(forged.path.begin());
    for (const quint8 count : {2, 4}) {
        forged.count = count;
        QVERIFY(!isSigned(forged.toText(), left + right));
    }
}

void BatchSignatureTest::malformedSignaturesAreRefused()
{
    const QByteArray good = sign(texts(3)).front().toText();
    QVERIFY(isSigned(good, "text 0"));
    for (qsizetype size = 0; size < good.size(); ++size)
        QVERIFY2(!isSigned(good.first(size), "text 0"), QByteArray::number(size));
    QVERIFY(!isSigned(good + 'A', "text 0"));
    QVERIFY(!isSigned(good + QByteArray(43, 'A'), "text 0")); // a level more
    QVERIFY(!isSigned(QByteArray(1'000'000, 'A'), "text 0"));
    QVERIFY(!isSigned("\"'$", "text 0"));
    BatchSignature place = *BatchSignature::parse(good);
    place.place = place.count;
    QVERIFY(!isSigned(place.toText(), "text 0"));
    place.count = 0;
    QVERIFY(!isSigned(place.toText(), "text 0"));
}

void BatchSignatureTest::rememberedSignaturesHoldForTheirTextAlone()
{
    SignatureVerifier verifier;
    const auto isSigned = [&](const BatchSignature &signature, const QByteArray &text) {
        return verifier.isSigned(signature.toText(), m_alice.publicKey(), Purpose::Job, m_cluster, text);
    };
    const auto isKnown = [&](const BatchSignature &signature, const QByteArray &text) {
        return verifier.isKnownSigned(signature.toText(), m_alice.publicKey(), Purpose::Job, m_cluster, text);
    };
    const std::vector<BatchSignature> signatures = sign({"a", "b"});
    QVERIFY(!isKnown(signatures[0], "a"));
    QVERIFY(!isSigned(signatures[0], "b"));
    QVERIFY(!isKnown(signatures[0], "b"));
    QVERIFY(isSigned(signatures[0], "a"));
    QVERIFY(isKnown(signatures[0], "a"));
    QVERIFY(isKnown(signatures[1], "b")); // of the same batch
    QVERIFY(!isKnown(signatures[0], "b"));
    QVERIFY(!verifier.isKnownSigned(signatures[0].toText(), SigningKey::generate().publicKey(), Purpose::Job, m_cluster,
                                    "a"));
    QVERIFY(isSigned(signatures[0], "a"));
    QVERIFY(isSigned(signatures[1], "b"));
    QVERIFY(!isSigned(signatures[0], "b"));
    QVERIFY(!isSigned(signatures[0], "c"));
    QVERIFY(
        !verifier.isSigned(signatures[0].toText(), SigningKey::generate().publicKey(), Purpose::Job, m_cluster, "a"));
    for (std::size_t i = 0; i < SignatureVerifier::MostKnown; ++i) { // the first is forgotten, and verified anew
        const QByteArray text = QByteArray::number(qulonglong(i));
        QVERIFY(isSigned(sign({text}).front(), text));
    }
    QVERIFY(isSigned(signatures[0], "a"));
}

QTEST_GUILESS_MAIN(BatchSignatureTest)
#include "batch_signature_test.moc"
