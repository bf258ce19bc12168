#pragma once

#include <QString>

namespace drover::app {

// The number of words in a file: runs of bytes that are not white space, as `wc -w` counts them in the C locale. Reads
// the file in pieces. Throws std::runtime_error.
qint64 countWords(const QString &path);

} // namespace drover::app
