#pragma once

#include "app/environment/context.h"
#include "trust/issuer.h"

namespace drover::app {

// A cluster that becomes a closed one: its root key and its administrator's credentials, and their files.
class ClosedCluster
{
public:
    // Founds it. The files are to be made in the directory of --directory. Throws CommandError: WrongState if one of
    // them exists, NotFound without that directory.
    explicit ClosedCluster(const Context &context);

    const std::shared_ptr<const trust::Credentials> &administrator() const { return m_administrator; }

    // Writes both files, and logs the administrator in here unless other credentials of that cluster's name are kept.
    // Blocks on the file system. Throws CommandError.
    void writeFiles() const;
    // Publishes the certificate and an empty revocation list, and gives each node its ACL. Safe to repeat.
    async::Task<void> close(jobs::Cluster cluster) const;

    // Says what was made, and what to do next.
    void tell(const Context &context) const;

private:
    trust::Issuer m_issuer;
    std::shared_ptr<const trust::Credentials> m_administrator;
    QString m_rootFile;
    QString m_administratorFile;
};

QCommandLineOption directoryOption();

} // namespace drover::app
