#pragma once

#include <QByteArray>

namespace drover::app {

// The text of a credentials file that another process hands over by standard input. systemd does so with a file that
// root alone may read (StandardInput=file:). The first call reads it to its end and keeps it; the later ones return it
// again. Nothing is left for jobs, which are of the same user. Standard input is /dev/null from then on, here and in
// children, and this process is hidden from others (posix::hideFromOthers()).
//
// Only for one thread. It blocks until standard input ends. Throws trust::BadCredentials if that is a terminal, a file
// that others may read, cannot be read, or has more than a megabyte.
QByteArray credentialsFromInput();

} // namespace drover::app
