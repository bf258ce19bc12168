#pragma once

#include <QByteArray>
#include <QString>

#include <optional>

namespace drover::app {

struct RepeatedKey {
    QString name;
    int line = 0; // of the second one, from 1
};

// The first key that an object has twice, at whatever depth. Qt keeps the last value of such a key without a word, so
// it is looked for before. `json` has to be a whole and valid text.
std::optional<RepeatedKey> repeatedKeyIn(const QByteArray &json);

} // namespace drover::app
