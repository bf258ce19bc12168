#include "app/cli/failure.h"
#include "app/server_config/config_checks.h"
#include "fuzz/harness/target.h"

using namespace drover;
using namespace std::chrono_literals;

// The zoo.cfg of a server, which may be of any origin.
DROVER_FUZZ_TARGET(server_config, Form::Bytes)
{
    const auto config =
        unlessRefused<app::UsageError>([&] { return app::ServerConfig(QStringLiteral("zoo.cfg"), input); });
    if (!config)
        return;
    for (const app::Finding &finding : app::checkServerConfigs({*config, *config}, 10s))
        require(!finding.what.isEmpty() && !finding.what.contains(u'\n'), "a finding is not one line");
}
