#include "workers/attempts/capacity.h"

#include <algorithm>

#include <unistd.h>

namespace drover::workers {

qint64 Capacity::memoryOfMachine()
{
    return qint64(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
}

bool Capacity::suits(const jobs::Needs &needs) const
{
    return needs.slots <= m_slots && needs.memory <= m_memory
        && std::all_of(needs.labels.begin(), needs.labels.end(),
                       [this](const QString &label) { return m_labels.contains(label); });
}

} // namespace drover::workers
