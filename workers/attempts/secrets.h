#pragma once

#include "jobs/model/job_spec.h"
#include "workers/process/runner.h"

#include <QStringList>

namespace drover::workers {

// Secrets that jobs have by reference (jobs::objectionToSecret). The owner of a worker lists in rules which references
// jobs may name there. A rule is a reference. A `*` at its end stands for any characters but '/':
//
//     file:/etc/drover/secrets/*      the files of that folder
//     env:DB_*                        the worker's variables that begin so

// Why this is no rule: a few words that follow it; empty: it is one. Blocks, as it looks for the folder.
QString objectionToSecretRule(const QString &rule);

bool isSecretAllowed(const QStringList &rules, const QString &reference);

// Gives the command the secrets of a job: the worker's variables, and where the files of others are. Refuses the
// command if a variable is not set or too long.
void addSecrets(Command &command, const jobs::JobSpec &spec);

} // namespace drover::workers
