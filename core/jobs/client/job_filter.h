#pragma once

#include "jobs/client/job_lookup.h"

#include <chrono>

namespace drover::jobs {

// The jobs that a person asks for, by what they are. A job must meet all conditions that are set. The command line has
// an option for each condition: the last three are those of `drover history`. The console's search has these between
// other words, or with a colon, as for events:
//     train --queue gpu --name 'nightly-*' --submitter=ann
//     train queue:gpu name:'nightly-*' submitter:ann worker:up-3 since:2h
struct JobFilter {
    QByteArray queue{}; // empty: any
    std::optional<JobState> state{};
    std::optional<QString> name{}; // the whole title; * stands for any characters, ? for one
    QString tag{}; // a whole tag; empty: any
    QString submitter{}; // NAME on any machine, or NAME@HOST; * and ? as in the name; empty: any
    QString worker{}; // that ran the job, or runs it; * and ? as in the name; empty: any
    std::optional<std::chrono::milliseconds> since{}; // it ended then or later, Unix epoch
    std::optional<std::chrono::milliseconds> until{}; // it ended earlier, Unix epoch
    QString words{}; // the rest of a line of text, which fits() leaves to the caller; empty: none

    // Reads a line as a user types it. An option without its value is no condition yet. Other words, among them unknown
    // options, states and times, become `words`, with one space between two. A time such as "2h" is counted from now.
    static JobFilter parse(const QString &line);

    bool isEmpty() const { return *this == JobFilter(); }
    // Whether a condition can be judged only when the job has been read.
    bool describes() const { return name || !tag.isEmpty() || !submitter.isEmpty(); }

    // Whether the job meets the conditions, but for those on its queue, its state, its worker and its end.
    bool fits(const QString &title, const QStringList &tags, const QString &submittedBy) const;
    // Whether it meets those on its worker and its end. No time: it has not ended.
    bool fitsRun(const QString &ranOn, std::optional<std::chrono::milliseconds> endedAt) const;
    // Whether the job as it was read meets these conditions. Never true for one that could not be read, if describes().
    bool fits(const JobView &job) const;

    friend bool operator==(const JobFilter &, const JobFilter &) = default;
};

} // namespace drover::jobs
