#include "app/console_bench/console_bench.h"

#include "app/cli/failure.h"
#include "app/console_bench/benches.h"
#include "app/scratch/process_usage.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

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
    ConsoleBench{"output", benchOutput}, // jobs that print, and one that has printed, a lot, with their details open
    ConsoleBench{"replay", benchReplay}, // an hour of 100 changes a second, recorded fast
};

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
    figures.addMebibytes("rss_mb", residentBytes(QCoreApplication::applicationPid()),
                         u"resident memory of this process");
    return figures;
}

} // namespace drover::app
