#pragma once

#include <QList>
#include <QString>

namespace drover::app {

// The result of one check.
struct Finding {
    enum class Level {
        Ok,
        Unknown, // cannot be seen from here, so that a person has to look
        Warning, // works, but not as it should, or not for long
        Problem, // something does not work
    };

    Level level = Level::Ok;
    QString subject; // "ZooKeeper zk1:2181", "queue gpu"
    QString what; // one line
    QString advice{}; // what to do, unless all is well
    QString place{}; // "zoo.cfg:3"; empty: of no file

    friend bool operator==(const Finding &, const Finding &) = default;
};

using Findings = QList<Finding>;

} // namespace drover::app
