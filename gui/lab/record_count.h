#pragma once

#include "gui/lab/lab_snapshot.h"

namespace drover::gui {

// Counts the records in a file of lines "TOKEN NAME RECORD PART". Each record has `parts` lines. The last one may be
// unfinished. Other lines are ignored.
RecordCount countRecords(const QByteArray &file, int parts = 8);

} // namespace drover::gui
