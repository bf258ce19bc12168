#pragma once

#include <memory>

namespace drover::async {

// A callback that a Loop owes. Destroying or cancelling the Timer takes the callback back; a Timer that has fired is
// inert. Movable, owned by whoever waits.
class [[nodiscard]] Timer
{
public:
    // What a Loop implements: its destructor takes the callback back.
    class Entry
    {
    public:
        virtual ~Entry() = default;
    };

    Timer() = default;
    explicit Timer(std::unique_ptr<Entry> entry) : m_entry(std::move(entry)) { }

    void cancel() { m_entry.reset(); }

private:
    std::unique_ptr<Entry> m_entry;
};

} // namespace drover::async
