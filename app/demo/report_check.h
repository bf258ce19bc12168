#pragma once

#include "app/demo/input_files.h"
#include "app/demo/report.h"

namespace drover::app {

// The report compared with a plain count of the same files, one after the other in this process, by code that shares
// nothing with the jobs'.
struct ReportCheck {
    int lost = 0; // files without a line
    int repeated = 0; // lines beyond the first of a file
    int malformed = 0; // lines that are not whole
    int wrong = 0; // lines with another count, or of no file
    qint64 words = 0; // of all files

    bool ok() const { return lost == 0 && repeated == 0 && malformed == 0 && wrong == 0; }
};

// Blocks. Throws ReportError.
ReportCheck checkReport(const InputFiles &input, const Report &report);

} // namespace drover::app
