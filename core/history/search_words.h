#pragma once

#include <QStringList>

namespace drover::history {

// The words by which a text is found: runs of letters and digits, in lower case, each once. "/opt/Train.py --lr=0.1" is
// opt, train, py, lr, 0, 1. Stored text and searches are split by this one function, so that every engine finds the
// same: the engines themselves only ever see words.
QStringList searchWords(const QString &text);

} // namespace drover::history
