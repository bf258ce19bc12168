#pragma once

#include "app/environment/context.h"
#include "trust/issuer.h"

namespace drover::app {

// A cluster that becomes a closed one: its root key and its administrator's credentials, and their files.
class ClosedCluster
{
public:
    // Whether both files may be there already: an interrupted call has left them, and is continued.
    enum class Files { New, OrOfBefore };

    // Founds it. The files are to be made in the directory of --dir. Throws CommandError: WrongState if one of
    // them exists, NotFound without that directory, Denied for files of before that are unsafe or do not belong
    // together.
    ClosedCluster(const Context &context, Files files);

    const std::shared_ptr<const trust::Credentials> &administrator() const { return m_administrator; }

    // Throws CommandError (WrongState) if the files are of before, and were not made for this cluster.
    async::Task<void> requireOwn(jobs::Cluster cluster) const;
    // Writes both files, and logs the administrator in here unless other credentials of that cluster's name are kept.
    // Blocks on the file system. Throws CommandError.
    void writeFiles() const;
    // Publishes the certificate and an empty revocation list, and gives each node its ACL. Also closes what is above
    // the cluster (jobs::closeAboveIfAlone), unless --shared says that others use it. Safe to repeat.
    async::Task<void> close(const Context &context, jobs::Cluster cluster) const;

    // Says what was made, and what to do next.
    void tell(const Context &context) const;

private:
    trust::Issuer issuer(const Context &context) const;

    QString m_rootFile;
    QString m_administratorFile;
    bool m_isContinued;
    std::shared_ptr<const trust::Credentials> m_administrator;
    trust::Issuer m_issuer; // of the administrator, if that is continued
};

QCommandLineOption directoryOption();

// --shared: `/` and /drover stay as they are.
QCommandLineOption sharedOption();
// Closes what is above the cluster, and says what stays open. With --shared it does nothing. Throws SessionLost.
async::Task<void> closeAbove(const Context &context, jobs::Cluster cluster,
                             std::shared_ptr<const trust::Credentials> administrator);

} // namespace drover::app
