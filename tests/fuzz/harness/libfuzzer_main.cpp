#include "fuzz/harness/target.h"

#include <cstdint>
#include <cstring>

// What libFuzzer calls: its own main() is in the compiler's library. An exception that leaves the target ends the
// program where it was thrown, which libFuzzer reports as a finding.

using namespace drover::fuzz;

namespace {

const Target &target()
{
    return targets().at(0);
}

} // namespace

// NOLINTBEGIN(readability-identifier-naming)
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t maxSize);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    target().run(QByteArray(reinterpret_cast<const char *>(data), static_cast<qsizetype>(size)));
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size, std::size_t maxSize, unsigned seed)
{
    Random random(seed);
    if (target().form == Form::Json && random() % 4 != 0) {
        const QByteArray json =
            mutatedJson(QByteArray(reinterpret_cast<const char *>(data), static_cast<qsizetype>(size)), random);
        if (!json.isEmpty() && static_cast<std::size_t>(json.size()) <= maxSize) {
            std::memcpy(data, json.constData(), static_cast<std::size_t>(json.size()));
            return static_cast<std::size_t>(json.size());
        }
    }
    return LLVMFuzzerMutate(data, size, maxSize);
}
// NOLINTEND(readability-identifier-naming)
