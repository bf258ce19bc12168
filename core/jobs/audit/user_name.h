#pragma once

#include <QString>

namespace drover::jobs {

// user@host of this process, for people. The first call asks the system for the user's name, which may block for as
// long as a directory service does. So do not call it on a session's thread.
QString submitterName();

} // namespace drover::jobs
