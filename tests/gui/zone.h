#pragma once

#include <QByteArray>

#include <ctime>

namespace drover::test {

// While it lives, local time is that of this zone (as TZ has it).
class Zone
{
public:
    explicit Zone(const char *zone) : m_wasSet(qEnvironmentVariableIsSet("TZ")), m_before(qgetenv("TZ"))
    {
        qputenv("TZ", zone);
        ::tzset();
    }
    Zone(const Zone &) = delete;
    Zone &operator=(const Zone &) = delete;
    ~Zone()
    {
        if (m_wasSet)
            qputenv("TZ", m_before);
        else
            qunsetenv("TZ");
        ::tzset();
    }

private:
    const bool m_wasSet;
    const QByteArray m_before;
};

} // namespace drover::test
