#include "app/submission/job_file.h"

#include "app/cli/failure.h"
#include "fuzz/harness/target.h"

using namespace drover;

// A job file, in TOML or JSON.
DROVER_FUZZ_TARGET(job_file, Form::Json)
{
    try {
        jobs::JobSpec spec;
        app::JobFile::parse(input, QStringLiteral("job.toml")).applyTo(spec);
        (void)spec.encode();
    } catch (const app::UsageError &) {
        // It says file, line and field.
    } catch (const jobs::SpecTooLarge &) {
        // So does what submits it.
    }
}
