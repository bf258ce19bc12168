#pragma once

#include "gui/data/job_verb.h"

namespace drover::gui {

// The words in which the window speaks of a verb.

QList<JobVerb::Kind> jobVerbs(); // in the order of menus
const char *nameOf(JobVerb::Kind kind); // "hold": as the command's
QString titleOf(JobVerb::Kind kind); // "Hold"
// "3 jobs", or of one job its id.
QString jobsText(const QList<jobs::JobId> &jobs);
// "Hold 3 jobs?", and what that means.
QString questionOf(JobVerb::Kind kind, const QList<jobs::JobId> &jobs);
QString consequenceOf(JobVerb::Kind kind, bool ofOne); // job, or of several
QString refusalText(const QList<jobs::JobId> &jobs); // "Leave them as they are", for the other button
// "Held: 3 of 5 jobs."
QString resultOf(JobVerb::Kind kind, const QList<ActedOn> &outcomes);
// "that fit “etl” and are ready": which jobs a search means.
QString describeSearch(const JobSearch &search);

} // namespace drover::gui
