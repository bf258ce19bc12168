#pragma once

#include "jobs/model/job_spec.h"

#include <algorithm>
#include <memory>

#include <unistd.h>

namespace drover::workers {

// A worker's slots and memory, and how much of them is free. A copy is a forecast: reservations do not change it.
class Capacity
{
    struct GiveBack {
        jobs::Needs needs;
        void operator()(Capacity *capacity) const
        {
            capacity->m_freeSlots += needs.slots;
            capacity->m_freeMemory += needs.memory;
        }
    };

public:
    // Slots and memory for one job, kept until this is destroyed or reset. The Capacity must outlive it.
    using Reservation = std::unique_ptr<Capacity, GiveBack>;

    Capacity(int slotCount, qint64 memory, QStringList labels)
        : m_slots(slotCount), m_memory(memory), m_labels(std::move(labels)), m_freeSlots(slotCount),
          m_freeMemory(memory)
    {
    }

    // Whether such a job needs only one free slot.
    static bool isOneSlot(const jobs::Needs &needs) { return needs.slots == 1 && needs.memory == 0; }
    // The physical memory of this machine, in bytes.
    static qint64 memoryOfMachine() { return qint64(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE); }

    // Whether such a job could ever run here.
    bool suits(const jobs::Needs &needs) const
    {
        return needs.slots <= m_slots && needs.memory <= m_memory
            && std::all_of(needs.labels.begin(), needs.labels.end(),
                           [this](const QString &label) { return m_labels.contains(label); });
    }
    // Whether such a job could run now. A job that needs only one slot always has room for its memory.
    bool hasRoomFor(const jobs::Needs &needs) const
    {
        return needs.slots <= m_freeSlots && (needs.memory == 0 || needs.memory <= m_freeMemory);
    }

    // Returns null if there is no room now.
    Reservation reserve(const jobs::Needs &needs)
    {
        if (!hasRoomFor(needs))
            return nullptr;
        take(needs);
        return {this, GiveBack{needs}};
    }
    // For a forecast: reduces the free room, even below zero.
    void take(const jobs::Needs &needs)
    {
        m_freeSlots -= needs.slots;
        m_freeMemory -= needs.memory;
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
