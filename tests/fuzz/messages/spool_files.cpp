#include "output/spool_files.h"

#include "fuzz/harness/target.h"

#include <QFile>
#include <QTemporaryDir>

using namespace drover;

namespace {

void writeFile(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    fuzz::require(file.open(QIODevice::WriteOnly | QIODevice::Truncate) && file.write(bytes) == bytes.size(),
                  "a spool");
}

} // namespace

// The files of an attempt: the first byte says where to read from, and '|' divides the beginning and the segments.
DROVER_FUZZ_TARGET(spool_files, Form::Bytes)
{
    static const QTemporaryDir spool(QStringLiteral("/dev/shm/drover-fuzz-XXXXXX"));
    const QByteArrayList parts = input.mid(1).split('|');
    output::OutputRequest request{
        .id = {"default", 1}, .outputFrom = input.isEmpty() ? 0 : quint8(input[0]) % 64, .atMost = 20};
    const auto files = output::SpoolFiles::of(spool.path(), request.id, request.attempt);
    writeFile(files.output, parts.value(0));
    writeFile(files.output + QStringLiteral(".1"), parts.value(1));
    writeFile(files.output + QStringLiteral(".2"), parts.value(2));
    const auto reply = output::readSpool(files, request);
    require(reply.output && reply.output->bytes.size() <= request.atMost, "a reply has more than it may");
    require(reply.output->skipped >= 0 && reply.output->size.value_or(0) >= 0, "a reply has a negative size");
    require(reply.output->bytes.isEmpty() || *request.outputFrom + reply.output->length() <= *reply.output->size,
            "a reply ends behind the output");
}
