#pragma once

#include "app/bench/figures/figures.h"

namespace drover::app {

// One each; see console_bench.cpp for what they are about.
void benchStart(Figures &figures, double scale);
void benchSiblings(Figures &figures, double scale);
void benchEvents(Figures &figures, double scale);
void benchLocks(Figures &figures, double scale);
void benchHistory(Figures &figures, double scale);
void benchReplay(Figures &figures, double scale);
void benchOutput(Figures &figures, double scale);

} // namespace drover::app
