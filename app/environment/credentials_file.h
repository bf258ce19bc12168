#pragma once

#include "app/environment/settings.h"
#include "jobs/model/layout.h"
#include "trust/credentials.h"
#include "zk/access.h"

#include <memory>

namespace drover::app {

struct FoundCredentials {
    QString file{}; // where they are; empty: they came by standard input
    std::shared_ptr<const trust::Credentials> credentials{}; // null: none, so the cluster must be open
};

// The credentials of the settings' cluster. The file of --credentials, DROVER_CREDENTIALS or the configuration file
// comes first; "none" there means no file. CredentialsOfInput means what another process hands over by standard input.
// Then come the file of the private cluster at these servers (local_trust.h), the user's and the machine's. Throws
// CommandError (Denied) for a file that is missing although it is named, damaged, of another cluster, or not safe. It
// blocks on the file system, and on standard input.
FoundCredentials findCredentials(const Settings &settings);

// As a command would find them that names these servers and this cluster. A file that the settings name belongs to the
// settings' cluster, and counts for no other.
FoundCredentials findCredentialsOf(Settings settings, const QString &connect, const QByteArray &cluster);

// The passwords of the credentials, and the ACLs of the closed cluster for new nodes. DROVER_AUTH and DROVER_ACL count
// as well: the first everywhere, the second for paths outside a closed cluster. Without DROVER_ACL such a path is open,
// which a line on standard error says once. Throws UsageError.
zk::Access accessWith(const trust::Credentials *credentials, const jobs::Layout &layout);

// That of a user of ZooKeeper without credentials of the cluster, by "user:password". A new node of the cluster would
// get a wrong ACL: its creation fails with AccessDenied before it is sent. Other nodes are for their creator alone,
// unless DROVER_ACL says more. Throws UsageError.
zk::Access accessByPassword(const QByteArray &digest, const jobs::Layout &layout);

} // namespace drover::app
