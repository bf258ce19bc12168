#pragma once

#include "gui/inspector/facts.h"
#include "gui/models/attempt_log.h"
#include "jobs/client/job_lookup.h"

namespace drover::gui {

// One attempt at a job, or several of which nothing but their number is known.
struct Attempt {
    int first = 0; // from 1
    int last = 0;
    QString worker{}; // empty: not known
    qint64 begun = 0; // ms of the Unix epoch; 0: not known
    qint64 ended = 0; // 0: it goes on, or it is not known
    Tone tone = Tone::Muted;
    QString outcome{}; // in words

    bool isKnown() const { return begun > 0; }
};

// All attempts at the job, in order: the last as the cluster or the record has it, those before as this console has
// seen them. None of an array.
std::vector<Attempt> attemptsOf(const jobs::JobView &job, const std::vector<SeenAttempt> &seen);

QString outcomeText(const jobs::FinalRecord &record); // "exited with code 3"

QString textOf(const Attempt &attempt); // "Attempt 2: 2026-01-31 14:03:22, for 7s: exited with code 3", and its worker

// A section with a line for each, if there was more than one.
void addAttempts(Facts &facts, const std::vector<Attempt> &attempts);

} // namespace drover::gui
