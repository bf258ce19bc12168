#pragma once

#include "gui/data/entity.h"

#include <cstddef>
#include <vector>

namespace drover::gui {

class Page;

// Where the user was: a page and what was selected there. Back and forward go over them, as in a browser.
struct Visit {
    Page *page = nullptr;
    EntityRef entity{};

    friend bool operator==(const Visit &, const Visit &) = default;
};

class Visits
{
public:
    static constexpr std::size_t Most = 100; // the oldest are forgotten

    // Goes to another place. Places that were ahead are forgotten.
    void go(const Visit &visit);
    // Notes what is selected now at the present place.
    void note(const EntityRef &entity);
    bool canMove(int step) const; // -1: back, 1: forward
    const Visit &move(int step);

private:
    std::vector<Visit> m_all;
    std::size_t m_at = 0;
};

} // namespace drover::gui
