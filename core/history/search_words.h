#pragma once

#include <QStringList>

namespace drover::history {

// The words by which a text is found: runs of letters and digits, in lower case, each once. "/opt/Train.py --lr=0.1"
// gives opt, train, py, lr, 0, 1. This one function splits stored texts and searches, so that all engines find equal
// results.
QStringList searchWords(const QString &text);

} // namespace drover::history
