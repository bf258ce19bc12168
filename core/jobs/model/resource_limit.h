#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace drover::jobs {

// A limit of setrlimit(2) for each process of a job, soft and hard: "nofile=4096", "core=unlimited".
struct ResourceLimit {
    static constexpr qint64 Unlimited = -1;

    int resource = 0; // RLIMIT_...
    qint64 value = Unlimited; // bytes, seconds or a number

    // Returns nothing if the text is not a valid limit.
    static std::optional<ResourceLimit> parse(const QString &text);
};

// The names before the "=": as, core, cpu, data, fsize, memlock, nofile, nproc, stack.
QStringList resourceNames();
// Whether the resource is counted in bytes.
bool isSize(const QString &resourceName);

} // namespace drover::jobs
