#pragma once

#include <QByteArray>

#include <random>

namespace drover::fuzz {

using Random = std::minstd_rand;

// What the inputs of a target are. Qt parses JSON without the counters that lead libFuzzer, so that its mutations
// seldom leave a document a document.
enum class Form { Bytes, Json };

// The JSON object `document` with one value replaced, removed, renamed or copied; only its first line if more lines
// follow. Nothing if it is not a JSON object.
QByteArray mutatedJson(const QByteArray &document, Random &random);

// `input` with some bytes changed, inserted, removed or copied, or with mutatedJson(): for the test, which has no
// libFuzzer.
QByteArray mutated(const QByteArray &input, Form form, Random &random);

} // namespace drover::fuzz
