#pragma once

#include "jobs/job_spec.h"

namespace drover::workers {

// What a worker has for its jobs, and how much of it is free.
class Capacity
{
public:
    Capacity(int slotCount, qint64 memory, QStringList labels)
        : m_slots(slotCount), m_memory(memory), m_labels(std::move(labels)), m_freeSlots(slotCount),
          m_freeMemory(memory)
    {
    }

    // Whether a free slot, whichever, is all that such a job needs of it.
    static bool isOneSlot(const jobs::Needs &needs) { return needs.slots == 1 && needs.memory == 0; }
    // The physical memory of this machine, in bytes.
    static qint64 memoryOfMachine();

    // Whether such a job could run here at all.
    bool suits(const jobs::Needs &needs) const;
    // Whether it could now. A job that needs nothing but one slot always has room for its memory.
    bool hasRoomFor(const jobs::Needs &needs) const
    {
        return needs.slots <= m_freeSlots && (needs.memory == 0 || needs.memory <= m_freeMemory);
    }

    void take(const jobs::Needs &needs)
    {
        m_freeSlots -= needs.slots;
        m_freeMemory -= needs.memory;
    }
    void giveBack(const jobs::Needs &needs)
    {
        m_freeSlots += needs.slots;
        m_freeMemory += needs.memory;
    }

    int slotCount() const { return m_slots; }
    qint64 memory() const { return m_memory; }
    const QStringList &labels() const { return m_labels; }
    int freeSlots() const { return m_freeSlots; }

private:
    int m_slots;
    qint64 m_memory;
    QStringList m_labels;
    int m_freeSlots;
    qint64 m_freeMemory;
};

} // namespace drover::workers
