#pragma once

#include "app/completion/expected_word.h"

namespace drover::app {

// The words of a kind that this machine knows: signals, time zones, shells. Empty for other kinds.
QList<Candidate> localWords(CompletionKind kind);

} // namespace drover::app
