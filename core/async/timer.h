#pragma once

#include <memory>

namespace drover::async {

// A pending callback of a Loop. Destroying or cancelling the Timer cancels the callback; a Timer that has fired does
// nothing. Movable; the waiting object owns it.
class [[nodiscard]] Timer
{
public:
    // A Loop implements this; the destructor cancels the callback.
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
