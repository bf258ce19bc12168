// A process of the stress test: append_writer SERVERS FILE NAME STREAMS ACKNOWLEDGED STOP. Each of its streams appends
// one record after the other, keyed <name>-<stream>-<i>, and adds "<stream>\n" to the file ACKNOWLEDGED for each that
// has been committed, by which it knows where to go on when it was killed and started again. Ends when the file STOP is
// there.

#include "async/qt_loop.h"
#include "core/files/record_text.h"
#include "files/shared_file.h"
#include "zk/client/session.h"

#include <QCoreApplication>
#include <QFile>

#include <cstdio>

using namespace drover;
using namespace std::chrono_literals;

namespace {

class Writer
{
public:
    explicit Writer(const QStringList &arguments)
        : m_servers(arguments.at(1)), m_path(arguments.at(2)), m_name(arguments.at(3).toLatin1()),
          m_acknowledged(arguments.at(5)), m_stop(arguments.at(6)), m_next(arguments.at(4).toULongLong())
    {
        if (!m_acknowledged.open(QIODevice::ReadWrite | QIODevice::Append | QIODevice::Unbuffered)
            || !m_acknowledged.seek(0))
            qFatal("cannot write %s", qPrintable(m_acknowledged.fileName()));
        const QByteArrayList streams = m_acknowledged.readAll().trimmed().split('\n');
        for (const QByteArray &stream : streams) {
            if (!stream.isEmpty())
                ++m_next.at(stream.toULongLong());
        }
    }

    // One session after the other.
    async::Task<void> live(async::Loop &loop)
    {
        while (!stopped()) {
            zk::SessionOptions options;
            options.servers = m_servers;
            options.timeout = 1s;
            zk::Session session(loop, options);
            session.open();
            std::unique_ptr<files::SharedFile> file;
            try {
                file = co_await files::SharedFile::open(session, jobs::Layout("stress"), m_path, m_name);
                async::TaskGroup streams([this](const std::exception_ptr &error) { note(error); });
                for (std::size_t stream = 0; stream < m_next.size(); ++stream)
                    streams.spawn(append(*file, stream));
                co_await streams.drained();
            } catch (const zk::Error &) {
            }
            file.reset();
            co_await session.close();
        }
    }

    int exitCode() const { return m_failed ? 1 : 0; }

private:
    bool stopped() const { return m_failed || QFile::exists(m_stop); }

    async::Task<void> append(files::SharedFile &file, std::size_t stream)
    {
        while (!stopped()) {
            const QByteArray number = QByteArray::number(static_cast<qulonglong>(stream));
            const QByteArray key = m_name + '-' + number + '-' + QByteArray::number(m_next[stream]);
            const files::SharedFile::Appended appended = co_await file.append(key, test::recordText(key));
            if (!appended.sameBytes)
                throw std::logic_error("another record has this key");
            m_acknowledged.write(number + '\n');
            ++m_next[stream];
        }
    }

    // Only the session may be lost.
    void note(const std::exception_ptr &error)
    {
        try {
            std::rethrow_exception(error);
        } catch (const zk::Error &) {
        } catch (const std::exception &e) {
            std::fprintf(stderr, "%s: %s\n", m_name.constData(), e.what());
            m_failed = true;
        }
    }

    QString m_servers;
    QString m_path;
    QByteArray m_name;
    QFile m_acknowledged;
    QString m_stop;
    std::vector<int> m_next; // of each stream
    bool m_failed = false;
};

async::Task<void> run(Writer &writer, async::Loop &loop)
{
    co_await writer.live(loop);
    QCoreApplication::exit(writer.exitCode());
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    async::QtLoop loop;
    Writer writer(QCoreApplication::arguments());
    async::TaskGroup group;
    loop.post([&] { group.spawn(run(writer, loop)); });
    return QCoreApplication::exec();
}
