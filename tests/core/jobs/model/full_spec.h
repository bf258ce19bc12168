#pragma once

#include "jobs/model/job_spec.h"

namespace drover::test {

// A job with something in each field.
inline jobs::JobSpec fullSpec()
{
    using namespace std::chrono_literals;
    jobs::JobSpec spec;
    spec.command = QStringList{QStringLiteral("sh"), QStringLiteral("-c"), QStringLiteral("echo \u00e4 \"quoted\"\n")};
    spec.environment = {{QStringLiteral("PATH"), QStringLiteral("/bin")}};
    spec.directory = QStringLiteral("/srv");
    spec.input = QStringLiteral("/dev/zero");
    spec.appendTo = QStringLiteral("/srv/report");
    spec.standardOutput = QStringLiteral("/logs/%n.%j");
    spec.standardError = QStringLiteral("/logs/%a.err");
    spec.ulimits = QStringList{QStringLiteral("nofile=64"), QStringLiteral("core=unlimited")};
    spec.name = QStringLiteral("a name");
    spec.comment = QStringLiteral("for the audit");
    spec.priority = 3;
    spec.maxAttempts = 2;
    spec.timeLimit = 90s;
    spec.killGrace = 0s;
    spec.outputLimit = 0;
    spec.submitter = QStringLiteral("me@here");
    spec.dedupe = QStringLiteral("nightly");
    spec.key = QStringLiteral("key");
    spec.retry = {3, {1, 75, 137}, 2s, 60s};
    spec.needs = {2, qint64(3) << 30, {QStringLiteral("gpu"), QStringLiteral("ssd")}};
    spec.after = {{jobs::Dependency::Kind::Ok, {"default", 41}}, {jobs::Dependency::Kind::Any, {"gpu", 7, 3}}};
    spec.array = jobs::ArrayIndices{1, 99, 2, 10};
    spec.locks = QStringList{QStringLiteral("db")};
    spec.sharedLocks = QStringList{QStringLiteral("schema")};
    spec.limits = QStringList{QStringLiteral("licence")};
    spec.tags = QStringList{QStringLiteral("nightly")};
    spec.notes.notBefore = 1700000060000ms;
    spec.notes.heldBy = QStringLiteral("me@here");
    spec.submittedAt = 1700000000123ms;
    return spec;
}

} // namespace drover::test
