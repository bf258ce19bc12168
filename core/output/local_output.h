#pragma once

#include "async/loop.h"
#include "output/output_source.h"
#include "output/spool_files.h"

#include <functional>

namespace drover::output {

// The files of an attempt in a spool.
using FilesOf = std::function<SpoolFiles(const jobs::JobId &id, int attempt)>;

// The output in a spool of this machine. Reads where it may block, and looks again every 50 ms while it waits.
class LocalOutput final : public OutputSource
{
public:
    LocalOutput(async::Loop &loop, FilesOf filesOf) : m_loop(loop), m_filesOf(std::move(filesOf)) { }

    async::Task<OutputReply> read(OutputRequest request) override;

private:
    async::Loop &m_loop;
    FilesOf m_filesOf;
};

} // namespace drover::output
