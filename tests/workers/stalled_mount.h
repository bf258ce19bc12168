#pragma once

#include <QByteArray>
#include <QFile>
#include <QHash>
#include <QTemporaryDir>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace drover::test {

// A file system whose server opens every file, and then answers no write until answer(): a process that writes hangs in
// the kernel, and not even SIGKILL ends it. Each name is a file. Needs root and /dev/fuse.
class StalledMount
{
public:
    StalledMount() : m_server(::open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK)), m_stop(::eventfd(0, EFD_CLOEXEC))
    {
        const QByteArray options =
            "fd=" + QByteArray::number(m_server) + ",rootmode=40000,user_id=0,group_id=0,allow_other";
        m_isMounted = m_server >= 0
            && ::mount("stalled", QFile::encodeName(m_folder.path()).constData(), "fuse", MS_NOSUID | MS_NODEV,
                       options.constData())
                == 0;
        if (m_isMounted)
            m_thread = std::thread([this] { serve(); });
    }
    StalledMount(const StalledMount &) = delete;
    StalledMount &operator=(const StalledMount &) = delete;
    ~StalledMount()
    {
        ::eventfd_write(m_stop, 1);
        if (m_thread.joinable())
            m_thread.join();
        ::close(m_server); // the writers that still hang get an error
        ::close(m_stop);
        if (m_isMounted)
            ::umount2(QFile::encodeName(m_folder.path()).constData(), MNT_DETACH);
    }

    bool isMounted() const { return m_isMounted; }
    QString path(const QString &name) const { return m_folder.path() + u'/' + name; }
    // Carries out the writes that hang, and all later ones.
    void answer() { m_isAnswering = true; }
    // Of all files together.
    int writesThatHang() const { return m_hanging; }
    quint64 bytesWritten() const { return m_written; }

private:
    struct Write {
        std::uint64_t unique;
        std::uint32_t size;
    };

    void serve()
    {
        std::vector<char> request(256 * 1024);
        for (;;) {
            pollfd waits[2] = {{m_server, POLLIN, 0}, {m_stop, POLLIN, 0}};
            ::poll(waits, 2, 20);
            if (waits[1].revents != 0)
                return;
            if (m_isAnswering)
                answerWrites();
            const ssize_t got = ::read(m_server, request.data(), request.size());
            if (got < ssize_t(sizeof(fuse_in_header)))
                continue;
            fuse_in_header header;
            std::memcpy(&header, request.data(), sizeof header);
            handle(header, request.data() + sizeof header);
        }
    }

    void handle(const fuse_in_header &header, const char *body)
    {
        switch (header.opcode) {
        case FUSE_INIT:
            return replyToInit(header.unique);
        case FUSE_LOOKUP:
            return reply(header.unique, entry(QByteArray(body)));
        case FUSE_GETATTR:
        case FUSE_SETATTR:
            return replyWithAttributes(header);
        case FUSE_OPEN:
            return replyToOpen(header.unique);
        case FUSE_WRITE:
            fuse_write_in write;
            std::memcpy(&write, body, sizeof write);
            m_writes.push_back({header.unique, write.size});
            m_hanging = int(m_writes.size());
            return;
        case FUSE_FLUSH:
        case FUSE_RELEASE:
            return reply(header.unique);
        case FUSE_FORGET:
        case FUSE_BATCH_FORGET:
        case FUSE_INTERRUPT:
            return; // they want no answer
        default:
            return reply(header.unique, -ENOSYS);
        }
    }

    // The kernel's structures have more fields than matter here: those are zero.
    void replyToInit(std::uint64_t unique)
    {
        fuse_init_out answer{};
        answer.major = FUSE_KERNEL_VERSION;
        answer.minor = 31;
        answer.max_write = 64 * 1024;
        reply(unique, answer);
    }

    void replyWithAttributes(const fuse_in_header &header)
    {
        fuse_attr_out answer{};
        answer.attr_valid = 3600;
        answer.attr = attributes(header.nodeid);
        reply(header.unique, answer);
    }

    void replyToOpen(std::uint64_t unique)
    {
        fuse_open_out answer{};
        answer.open_flags = FOPEN_DIRECT_IO;
        reply(unique, answer);
    }

    void answerWrites()
    {
        for (const Write &write : m_writes) {
            m_written += write.size;
            fuse_write_out answer{};
            answer.size = write.size;
            reply(write.unique, answer);
        }
        m_writes.clear();
        m_hanging = 0;
    }

    fuse_entry_out entry(const QByteArray &name)
    {
        if (!m_nodes.contains(name))
            m_nodes.insert(name, FUSE_ROOT_ID + 1 + std::uint64_t(m_nodes.size()));
        const std::uint64_t node = m_nodes.value(name);
        fuse_entry_out found{};
        found.nodeid = node;
        found.entry_valid = 3600;
        found.attr_valid = 3600;
        found.attr = attributes(node);
        return found;
    }
    static fuse_attr attributes(std::uint64_t node)
    {
        fuse_attr file{};
        file.ino = node;
        file.mode = node == FUSE_ROOT_ID ? S_IFDIR | 0777u : S_IFREG | 0666u;
        file.nlink = 1;
        return file;
    }

    template <typename Answer>
    void reply(std::uint64_t unique, const Answer &answer)
    {
        send({.len = sizeof(fuse_out_header) + sizeof answer, .error = 0, .unique = unique}, &answer, sizeof answer);
    }
    void reply(std::uint64_t unique, int error = 0)
    {
        send({.len = sizeof(fuse_out_header), .error = error, .unique = unique}, nullptr, 0);
    }
    void send(fuse_out_header header, const void *body, std::size_t size) const
    {
        const iovec parts[2] = {{&header, sizeof header}, {const_cast<void *>(body), size}};
        [[maybe_unused]] const ssize_t sent = ::writev(m_server, parts, size == 0 ? 1 : 2);
    }

    QTemporaryDir m_folder;
    int m_server;
    int m_stop;
    bool m_isMounted = false;
    std::atomic<bool> m_isAnswering = false;
    std::atomic<int> m_hanging = 0;
    std::atomic<quint64> m_written = 0;
    QHash<QByteArray, std::uint64_t> m_nodes;
    std::vector<Write> m_writes;
    std::thread m_thread; // last: it uses the others
};

} // namespace drover::test
