#pragma once

#include <QFile>
#include <QTemporaryDir>

#include <sys/mount.h>

namespace drover::test {

// A file system of one page: a file takes its first bytes, and then no space is left. Needs root.
class FullMount
{
public:
    FullMount()
        : m_isMounted(::mount("full", QFile::encodeName(m_folder.path()).constData(), "tmpfs", MS_NOSUID | MS_NODEV,
                              "size=4096,mode=700")
                      == 0)
    {
    }
    FullMount(const FullMount &) = delete;
    FullMount &operator=(const FullMount &) = delete;
    ~FullMount()
    {
        if (m_isMounted)
            ::umount2(QFile::encodeName(m_folder.path()).constData(), MNT_DETACH);
    }

    bool isMounted() const { return m_isMounted; }
    QString path(const QString &name) const { return m_folder.path() + u'/' + name; }

private:
    QTemporaryDir m_folder;
    bool m_isMounted;
};

} // namespace drover::test
