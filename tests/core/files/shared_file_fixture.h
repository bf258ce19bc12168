#pragma once

#include "files/shared_file.h"
#include "support/fake/fake_cluster.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

namespace drover::test {

using files::FileRefused;
using files::FileStore;
using files::Ledger;
using files::Payload;
using files::SharedFile;
using Appended = SharedFile::Appended;
using Why = FileRefused::Why;

// A record that is too long for the ledger.
inline const QByteArray &longRecord()
{
    static const QByteArray bytes = QByteArray(3 * 1024 * 1024, 'x') + '\n';
    return bytes;
}

// Some processes, and a file that they share.
struct SharedFileFixture : FakeCluster {
    explicit SharedFileFixture(int size = 1) : FakeCluster(size)
    {
        for (int i = 0; i < size; ++i)
            open(i);
    }

    void open(int who)
    {
        files.resize(std::max(files.size(), static_cast<std::size_t>(who + 1)));
        files[static_cast<std::size_t>(who)] = run(SharedFile::open((*this)[who], layout, path, "test"));
    }
    SharedFile &operator()(int who) { return *files[static_cast<std::size_t>(who)]; }
    Appended append(int who, const QByteArray &key, const QByteArray &bytes)
    {
        return run((*this)(who).append(key, bytes));
    }

    QByteArray content() const { return read(path); }
    static QByteArray read(const QString &name)
    {
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(no file)");
    }
    static void write(const QString &name, const QByteArray &bytes, QIODevice::OpenMode mode)
    {
        QFile file(name);
        if (!file.open(mode) || file.write(bytes) != bytes.size())
            qFatal("cannot write %s", qPrintable(name));
    }
    void addForeign(const QByteArray &bytes) const { write(path, bytes, QIODevice::Append); }

    zk::Path meta() const { return layout.file(FileStore::canonicalPath(path)) / "meta"; }
    Ledger ledger() const { return Ledger::decode(server.tree().find(meta())->data); }
    FileStore store() const { return FileStore(FileStore::canonicalPath(path)); }
    QStringList sidecar() const { return QDir(store().sidecar()).entryList(QDir::Files); }

    // The refusal of one more append, which must leave the file as it is.
    std::optional<FileRefused::Why> refusal()
    {
        const QByteArray before = content();
        try {
            append(0, "one more", "MORE\n");
            return std::nullopt;
        } catch (const FileRefused &refused) {
            const bool helpful = QByteArray(refused.what()).contains("drover files forget " + path.toUtf8());
            return helpful && content() == before ? std::optional(refused.why()) : std::nullopt;
        }
    }

    QTemporaryDir directory;
    QString path = directory.path() + QStringLiteral("/report");
    jobs::Layout layout{"test"};
    std::vector<std::unique_ptr<SharedFile>> files;
};

} // namespace drover::test
