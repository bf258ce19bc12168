#include "app/cli/failure.h"
#include "app/cli/units.h"
#include "fuzz/harness/target.h"
#include "text/quantity.h"

using namespace drover;

// Durations, sizes, instants and numbers as people type them.
DROVER_FUZZ_TARGET(quantities, Form::Bytes)
{
    const QString text = QString::fromUtf8(input);
    const QString what = QStringLiteral("--value");
    if (const auto duration = text::parseDuration(text)) {
        require(duration->count() >= 0 && *duration <= text::LongestDuration, "a duration is out of range");
        require(text::parseDuration(text::formatDuration(*duration)).has_value(), "a shown duration cannot be parsed");
    }
    if (const auto size = text::parseSize(text))
        require(*size >= 0 && *size <= text::LargestSize, "a size is out of range");
    (void)unlessRefused<app::UsageError>([&] { return app::formatTime(app::parseInstant(text, what)); });
    (void)unlessRefused<app::UsageError>([&] { return app::parseStart(text, what); });
    (void)unlessRefused<app::UsageError>([&] { return app::parseInteger(text, what, -5, 5); });
}
