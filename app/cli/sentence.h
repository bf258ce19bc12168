#pragma once

#include "app/cli/output.h"

namespace drover::app {

// Prints a sentence for people, wrapped to the width of a terminal. If it does not fit into one line there, `advice`
// begins a new one, so that a command in it stays whole. Elsewhere all is one line.
void printSentence(const Output &out, const QString &text, const QString &advice = {});

} // namespace drover::app
