#pragma once

namespace drover::async {

// A member of at most one ring; its destructor takes it out of the ring. The head of a list is a hook as well.
// Membership needs no allocation, and a waiter may be destroyed at any moment.
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

    // Moves every member of `ring` into this ring, which must be empty.
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
