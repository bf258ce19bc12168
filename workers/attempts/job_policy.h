#pragma once

#include "jobs/model/job_spec.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

#include <sys/types.h>

namespace drover::workers {

// A user of this machine that jobs may run as.
struct RunAsUser {
    QString name;
    QByteArray home;
    uid_t uid = 0;
    gid_t gid = 0;
    std::vector<gid_t> groups{}; // all of the user's, in ascending order

    // Asks the system's tables of users, which may block. Returns nothing, and says why, if there is no such user, or
    // if no job may run as that user. Root is such a user, and so are uids below 1000, which belong to services.
    static std::optional<RunAsUser> find(const QString &name, QString &why);
};

// What the owner of a worker lets jobs do there, independent of their submitters. What is refused ends the job at once.
struct JobPolicy {
    QStringList programs{}; // canonical paths of files, and of folders of programs; empty: all
    QStringList outputFolders{}; // the files of --stdout, --stderr, --append-to have to be below; empty: anywhere
    QStringList secrets{}; // rules for the secrets that jobs may name: objectionToSecretRule()
    std::vector<RunAsUser> users{}; // that jobs may name
    std::optional<RunAsUser> defaultUser{}; // of the jobs that name none; nothing: the worker's own
    bool mayRunAsWorker = true; // false: a job without a user is refused, unless there is a defaultUser

    // Why the job may not run here, by what it asks for alone: one line, or empty. The runner asks the rest, when it
    // knows which files the paths lead to.
    QString refusal(const jobs::JobSpec &spec) const;
    // The user that the job runs as; null: the worker's own user.
    const RunAsUser *userOf(const jobs::JobSpec &spec) const;
    // Whether jobs that name no user run as the worker's own.
    bool runsAsWorker() const { return mayRunAsWorker && !defaultUser; }
};

// The owner of a worker lists in rules which secrets jobs may name there (jobs::objectionToSecret). A rule is a
// reference. A `*` at its end stands for any characters but '/':
//
//     file:/etc/drover/secrets/*      the files of that folder
//     env:DB_*                        the worker's variables that begin so
//
// Why this is no rule: a few words that follow it; empty: it is one. Blocks, as it looks for the folder.
QString objectionToSecretRule(const QString &rule);

} // namespace drover::workers
