#include "fuzz/harness/target.h"

namespace drover::fuzz {

std::vector<Target> &targets()
{
    static std::vector<Target> all;
    return all;
}

} // namespace drover::fuzz
