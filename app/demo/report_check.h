#pragma once

#include "app/demo/input_files.h"
#include "app/demo/report.h"

namespace drover::app {

// Compares the report with a plain count of the files, one after the other in this process. Its code is independent of
// the jobs' code.
struct ReportCheck {
    int lost = 0; // files without a line
    int repeated = 0; // lines beyond the first of a file
    int malformed = 0; // lines that are not complete
    int wrong = 0; // lines with a wrong count or an unknown file
    qint64 words = 0; // in all files

    bool ok() const { return lost == 0 && repeated == 0 && malformed == 0 && wrong == 0; }
};

// Blocks. Throws ReportError.
ReportCheck checkReport(const InputFiles &input, const DemoReport &report);

} // namespace drover::app
