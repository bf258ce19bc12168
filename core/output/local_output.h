#pragma once

#include "async/loop.h"
#include "output/output_source.h"

#include <QString>

namespace drover::output {

// The output in a spool of this machine. It reads on an offload thread, and polls every 50 ms while it waits.
class LocalOutput final : public OutputSource
{
public:
    LocalOutput(async::Loop &loop, QString spool) : m_loop(loop), m_spool(std::move(spool)) { }

    async::Task<OutputReply> read(OutputRequest request) override;

private:
    async::Loop &m_loop;
    QString m_spool;
};

} // namespace drover::output
