#pragma once

namespace drover::async {

// A member of at most one ring; leaves it when destroyed. The ring of a list is a hook of its own, so that membership
// costs no allocation and a waiter destroyed at any moment is simply no longer there.
class ListHook
{
public:
    ListHook() = default;
    ListHook(const ListHook &) = delete;
    ListHook &operator=(const ListHook &) = delete;
    ~ListHook() { unlink(); }

    bool linked() const { return m_next != this; }
    ListHook *next() { return m_next; }

    void unlink()
    {
        m_previous->m_next = m_next;
        m_next->m_previous = m_previous;
        m_next = m_previous = this;
    }

    // Puts this hook last into the ring that `ring` heads.
    void appendTo(ListHook &ring)
    {
        unlink();
        m_previous = ring.m_previous;
        m_next = &ring;
        m_previous->m_next = this;
        ring.m_previous = this;
    }

    // Moves every member of `ring` into this, empty, one.
    void takeAll(ListHook &ring)
    {
        while (ring.linked())
            ring.next()->appendTo(*this);
    }

private:
    ListHook *m_previous = this;
    ListHook *m_next = this;
};

} // namespace drover::async
