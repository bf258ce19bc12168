#include "gui/text/private_file.h"

#include "posix/files.h"
#include "posix/home_directory.h"

#include <QDir>
#include <QFile>

namespace drover::gui {

QString stateFile(const QString &name)
{
    const QString set = qEnvironmentVariable("XDG_STATE_HOME"); // the specification has relative paths ignored
    const QString home = QFile::decodeName(QByteArray::fromStdString(posix::homeDirectory()));
    const QString state = set.startsWith(u'/') ? set : home + QStringLiteral("/.local/state");
    return QDir::cleanPath(state + QStringLiteral("/drover/") + name);
}

QString makePrivate(const QString &path)
{
    const std::string native = QFile::encodeName(path).toStdString();
    posix::makeFolders(native, 0700);
    const posix::FileDescriptor file(::open(native.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file || ::fchmod(file.get(), 0600) != 0)
        return QStringLiteral("%1: %2").arg(path, qt_error_string());
    return {};
}

} // namespace drover::gui
