#pragma once

#include <QString>

namespace drover::gui {

// Where the console keeps what a user sees: $XDG_STATE_HOME/drover/NAME, and without that variable below the home
// directory, found as the commands find it. The name may have folders. Makes nothing.
QString stateFile(const QString &name);

// Makes the file and its folders if they are missing. The file is readable for its user alone (mode 0600), from its
// first byte on; SQLite gives its log the same mode. A symbolic link is refused. Returns one line that says why it
// failed, or nothing. Blocks for the disk.
QString makePrivate(const QString &path);

} // namespace drover::gui
