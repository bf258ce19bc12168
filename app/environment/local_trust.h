#pragma once

#include "jobs/model/cluster.h"
#include "trust/credentials.h"
#include "zk/access.h"

#include <memory>
#include <optional>

namespace drover::app {

// The name in the certificate of the jobs of `drover up`.
inline constexpr char JobsOfUp[] = "jobs-of-up";

// A closed cluster on a private server: `drover up`, the demo and the benchmarks. Its root key and one credentials file
// with all roles are in a folder that only their user can read. They are made when they are missing.
class LocalTrust
{
public:
    // Blocks on the file system. The credentials get the present address of the server. Throws CommandError, also for
    // files that are not safe.
    LocalTrust(const QString &folder, jobs::Layout layout, const QString &servers);

    std::shared_ptr<const trust::Credentials> credentials() const { return m_credentials; }
    const QString &file() const { return m_file; } // of the credentials

    // For sessions with the server. It has the passwords of the other clusters' admins in the folder as well: they
    // share what is above all clusters.
    const zk::Access &access() const { return m_access; }

    // Gives all nodes of the cluster their ACLs, and closes `/` to other clients. Publishes the revocation list if it
    // is missing, or older than the one kept beside the root key, unless that key has been moved away. The session must
    // have access(). Throws CommandError (Denied) if the cluster is closed by other credentials, SessionLost.
    async::Task<void> closeServer(zk::Client &session) const;

    // The file of what the cluster's jobs join it with: of a name of its own, with the roles viewer and submit alone. A
    // job may be another person's. It is made when it is missing, follows a change of the root key, and its certificate
    // is published. Empty: the root key has been moved away, so it cannot be made. `session` as in closeServer().
    // Throws CommandError, SessionLost.
    async::Task<QString> credentialsForJobs(zk::Client &session) const;

    // The passwords of all admins whose credentials are in the folder. They may make open clusters on the server, too.
    // Throws CommandError.
    static std::vector<zk::AuthInfo> adminsIn(const QString &folder);

private:
    async::Task<void> publishRevocations(zk::Client &session) const;
    std::optional<trust::Credentials> credentialsOfJobs() const;

    jobs::Layout m_layout;
    QString m_rootFile;
    QString m_file;
    QString m_jobsFile;
    std::shared_ptr<const trust::Credentials> m_credentials;
    zk::Access m_access;
    zk::AclList m_admins;
};

} // namespace drover::app
