#pragma once

#include "jobs/model/dependency.h"
#include "jobs/model/job_state.h"

#include <QMetaType>

#include <optional>
#include <vector>

namespace drover::gui {

// A job, those that it depends on, and those that depend on it: a few levels each way, as they were at one moment.
struct JobGraph {
    static constexpr std::size_t MostEachWay = 40; // jobs before the job, and as many after it
    static constexpr int MostLevels = 4; // each way

    struct Node {
        jobs::JobId id;
        std::optional<jobs::JobState> state{}; // nothing: neither the cluster nor the history says it
        QString name{};
        qsizetype others = 0; // jobs that it depends on and that are not drawn
        friend bool operator==(const Node &, const Node &) = default;
    };
    struct Arrow {
        int before = 0; // places in `nodes`
        int after = 0; // depends on the other
        jobs::Dependency::Kind kind = jobs::Dependency::Kind::Any;
        bool isFulfilled = false;
        friend bool operator==(const Arrow &, const Arrow &) = default;
    };

    std::vector<Node> nodes; // the first is the job itself, in the queue where it is now
    std::vector<Arrow> arrows;
    qsizetype before = 0; // jobs that are not drawn: those that the drawn ones name
    qsizetype after = 0; // and all that wait for the job, as far as they were read
    qsizetype unread = 0; // waiting jobs that were not read: some of them may wait for the job
    bool hasForgotten = false; // the record of the job does not say any more what it waited for

    friend bool operator==(const JobGraph &, const JobGraph &) = default;
};

} // namespace drover::gui

Q_DECLARE_METATYPE(drover::gui::JobGraph)
