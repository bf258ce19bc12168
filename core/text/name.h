#pragma once

#include <QString>

namespace drover::text {

// Names of clusters, queues and workers: 1 to 32 of a-z 0-9 and -, beginning with a letter or digit. A name may end
// with a hyphen and digits, because the number of a job id follows the id's last hyphen.
bool isName(const QString &name);
constexpr char NameRule[] = "use 1 to 32 of a-z, 0-9 and -, beginning with a letter or a digit";

// Names of locks, limits and labels: 1 to 64 of letters, digits and . _ -, not beginning with a dot.
bool isLockName(const QString &name);
constexpr char LockNameRule[] = "use 1 to 64 letters, digits, '.', '_' and '-', not beginning with '.'";

} // namespace drover::text
