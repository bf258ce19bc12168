#include "jobs/audit/actor_name.h"

#include <QSysInfo>

#include <pwd.h>
#include <unistd.h>

namespace drover::jobs {

QString submitterName()
{
    static const QString name = [] {
        const passwd *const user = ::getpwuid(::getuid());
        return (user ? QString::fromLocal8Bit(user->pw_name) : QString::number(::getuid())) + u'@'
            + QSysInfo::machineHostName();
    }();
    return name;
}

QString actorName(const Cluster &cluster)
{
    return cluster.credentials ? cluster.credentials->ownCertificate().name : submitterName();
}

} // namespace drover::jobs
