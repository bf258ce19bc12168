#pragma once

#include "jobs/client/job_lookup.h"

namespace drover::jobs {

// The jobs that a person asks for, by what they are. A job must meet all conditions that are set. The command line has
// an option for each condition. The console's search has these between other words, or with a colon, as for events:
//     train --queue gpu --name 'nightly-*' --submitter=ann
//     train queue:gpu name:'nightly-*' submitter:ann
struct JobFilter {
    QByteArray queue{}; // empty: any
    std::optional<JobState> state{};
    std::optional<QString> name{}; // the whole title; * stands for any characters, ? for one
    QString tag{}; // a whole tag; empty: any
    QString submitter{}; // NAME on any machine, or NAME@HOST; * and ? as in the name; empty: any
    QString words{}; // the rest of a line of text, which fits() leaves to the caller; empty: none

    // Reads a line as a user types it. An option without its value is no condition yet. Other words, unknown options
    // and states among them, become `words`, with one space between two.
    static JobFilter parse(const QString &line);

    bool isEmpty() const { return *this == JobFilter(); }
    // Whether a condition can be judged only when the job has been read.
    bool describes() const { return name || !tag.isEmpty() || !submitter.isEmpty(); }

    // Whether the job meets the conditions, but for those on its queue and its state.
    bool fits(const QString &title, const QStringList &tags, const QString &submittedBy) const;
    // Whether the job as it was read meets these conditions. Never true for one that could not be read, if describes().
    bool fits(const JobView &job) const;

    friend bool operator==(const JobFilter &, const JobFilter &) = default;
};

} // namespace drover::jobs
