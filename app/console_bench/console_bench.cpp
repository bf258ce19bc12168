#include "app/console_bench/console_bench.h"

#include "app/cli/failure.h"
#include "app/console_bench/benches.h"

#include <QFile>

#include <algorithm>
#include <array>

#include <unistd.h>

namespace drover::app {

namespace {

struct ConsoleBench {
    const char *name;
    void (*run)(Figures &, double);
};

constexpr std::array Benches{
    ConsoleBench{"start", benchStart}, // the program until its window is filled; what it costs at rest
    ConsoleBench{"siblings", benchSiblings}, // 100,000 znodes under one
    ConsoleBench{"events", benchEvents}, // 1,000 changes of znodes a second, each page opened once
    ConsoleBench{"locks", benchLocks}, // 10,000 locks with three tickets each
    ConsoleBench{"history", benchHistory}, // 1,000,000 jobs that have ended
    ConsoleBench{"output", benchOutput}, // jobs that print a lot, with their details open
};

double residentMegabytes()
{
    QFile statm(QStringLiteral("/proc/self/statm"));
    if (!statm.open(QIODevice::ReadOnly))
        return 0;
    const double pages = statm.readAll().split(' ').value(1).toDouble();
    return pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

} // namespace

QStringList consoleBenches()
{
    QStringList names;
    for (const ConsoleBench &bench : Benches)
        names.append(QLatin1String(bench.name));
    return names;
}

Figures runConsoleBench(const QString &name, double scale)
{
    const auto bench = std::find_if(Benches.begin(), Benches.end(),
                                    [&name](const ConsoleBench &one) { return name == QLatin1String(one.name); });
    if (bench == Benches.end())
        throw UsageError(
            QStringLiteral("--bench: \"%1\" must be one of %2").arg(name, consoleBenches().join(QStringLiteral(", "))));
    Figures figures(name, "name");
    bench->run(figures, scale);
    figures.add("rss_mb", residentMegabytes(), u"resident memory of this process");
    return figures;
}

} // namespace drover::app
