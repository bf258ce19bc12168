#pragma once

#include <QFile>
#include <QTemporaryDir>

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

namespace drover::test {

// A file system whose server has gone away: FUSE, and no process ever reads a request. A process that looks into
// folder() hangs until a signal ends it, as with a hard NFS mount. Needs root and /dev/fuse.
class DeadMount
{
public:
    DeadMount() : m_server(::open("/dev/fuse", O_RDWR | O_CLOEXEC))
    {
        const QByteArray options =
            "fd=" + QByteArray::number(m_server) + ",rootmode=40000,user_id=0,group_id=0,allow_other";
        m_isMounted = m_server >= 0
            && ::mount("dead", QFile::encodeName(m_folder.path()).constData(), "fuse", MS_NOSUID | MS_NODEV,
                       options.constData())
                == 0;
    }
    DeadMount(const DeadMount &) = delete;
    DeadMount &operator=(const DeadMount &) = delete;
    ~DeadMount()
    {
        ::close(m_server); // processes that still hang get an error
        if (m_isMounted)
            ::umount2(QFile::encodeName(m_folder.path()).constData(), MNT_DETACH);
    }

    bool isMounted() const { return m_isMounted; }
    // Never ask for it from a test's own process.
    QString path(const QString &name) const { return m_folder.path() + u'/' + name; }

private:
    QTemporaryDir m_folder;
    int m_server;
    bool m_isMounted = false;
};

} // namespace drover::test
