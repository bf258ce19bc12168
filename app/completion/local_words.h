#pragma once

#include "app/completion/expected_word.h"

namespace drover::app {

// The words of a kind that this machine knows: names of signals, time zones, shells. Nothing for other kinds.
QList<Candidate> localWords(ValueKind kind);

} // namespace drover::app
