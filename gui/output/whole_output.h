#pragma once

#include "gui/output/output_file.h"
#include "jobs/model/cluster.h"
#include "jobs/model/final_record.h"

#include <functional>
#include <memory>

namespace drover::gui {

constexpr qint64 MostOutput = qint64(512) * 1024 * 1024; // bytes of each stream that are read, the latest

// Reads all output of an attempt that has ended, from the worker that has it. The standard output comes first, then the
// standard error below a heading. The next part, of at most 128 KiB, is asked for when the last one is in the file.
// Another thread than the session's writes it. So a slow disk slows the reading down, and fills no memory.
//
// `progress` is called with the number of bytes that have been read, about ten times a second. Throws
// output::OutputLost, which says why in one line, and std::system_error if the disk is full. Of an output of which the
// worker has left out a part, all that it keeps is read: std::runtime_error says that this is too much. If it throws
// SessionLost, another call begins anew.
async::Task<std::shared_ptr<const OutputFile>> readWholeOutput(jobs::Cluster cluster, jobs::FinalRecord record,
                                                               std::function<void(qint64)> progress);

} // namespace drover::gui
