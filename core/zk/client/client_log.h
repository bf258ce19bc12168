#pragma once

#include <QString>

namespace drover::zk {

// The C client's own log: the only place that says why a connection failed. Its lines go to the logging category
// drover.zk.client (debug). While a ClientLog lives, this thread's lines about a failed server also go to `trouble`.
class ClientLog
{
public:
    explicit ClientLog(QString &trouble);
    ClientLog(const ClientLog &) = delete;
    ClientLog &operator=(const ClientLog &) = delete;
    ~ClientLog();

    static void write(const char *line); // the C client's callback
};

} // namespace drover::zk
