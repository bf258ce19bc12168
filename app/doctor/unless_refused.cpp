#include "app/doctor/checks.h"
#include "zk/error.h"

namespace drover::app {

async::Task<void> unlessRefused(const char *subject, async::Task<void> check, Findings &findings)
{
    try {
        co_await std::move(check);
    } catch (const zk::AccessDenied &error) {
        findings.append({Finding::Level::Warning, QString::fromLatin1(subject),
                         QStringLiteral("not all of it could be looked at: %1").arg(QString::fromUtf8(error.what())),
                         QStringLiteral("look with the credentials of an administrator; another program may have made "
                                        "that node, with an ACL of its own")});
    }
}

} // namespace drover::app
