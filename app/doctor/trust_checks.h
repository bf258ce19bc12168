#pragma once

#include "app/doctor/finding.h"
#include "jobs/cluster/cluster_trust.h"

#include <memory>

namespace drover::app {

// Checks what this user's credentials allow, which certificates end soon, and whether the root key is being replaced.
// Also checks whether passwords cross a network in clear text, and names schedules whose jobs workers refuse. Nothing
// without credentials (null). `servers` is the connect string. Throws SessionLost and ConnectionLoss.
async::Task<void> checkTrust(jobs::Cluster cluster, std::shared_ptr<const trust::Credentials> credentials,
                             QString servers, Findings &findings);

// Whether no other person may submit jobs. Clusters of `drover up` and `drover demo` are such: closed, on servers of
// this machine alone, and without certificates of other people. False if it is open, or that cannot be read. Throws
// SessionLost.
async::Task<bool> isForThisUserAlone(jobs::Cluster cluster, std::shared_ptr<const trust::Credentials> credentials,
                                     QString servers);

// The names of other people who may submit jobs; nothing if the cluster is open, or that cannot be read. Ended
// certificates count. Throws SessionLost.
async::Task<std::optional<QStringList>> othersWhoSubmit(jobs::Cluster cluster,
                                                        std::shared_ptr<const trust::Credentials> credentials);

// Warns of jobs of other people in a cluster of this user's `drover up`: its workers are this user. `file` is where the
// credentials are. Throws SessionLost.
async::Task<void> checkJobsOfOthers(jobs::Cluster cluster, std::shared_ptr<const trust::Credentials> credentials,
                                    QString file, Findings &findings);

// The servers of a connect string that are not on this machine, as far as their names tell.
QStringList serversElsewhere(const QString &servers);
// Whether an address "host:port" is that of this machine alone.
bool isLoopback(const QString &endpoint);

// About published certificates that end within this time from `now` on (Unix epoch), or have ended within it before.
inline constexpr std::chrono::hours EndsSoon{14 * 24};
Findings aboutCertificates(const std::vector<jobs::PublishedCertificate> &published, const trust::TrustStore &known,
                           std::chrono::seconds now);

} // namespace drover::app
