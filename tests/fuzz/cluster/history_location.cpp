#include "fuzz/harness/target.h"
#include "history/error.h"
#include "history/location.h"

using namespace drover;

// Where a history is, as the cluster's settings say it and as this machine's do.
DROVER_FUZZ_TARGET(history_location, Form::Bytes)
{
    const QString text = QString::fromUtf8(input);
    const auto location = unlessRefused<history::InvalidLocation>([&] { return history::Location::parse(text); });
    if (location) {
        (void)location->display();
        (void)location->setting();
    }
    try {
        const auto named =
            history::Location::fromCluster(text, {QStringLiteral("postgresql://me:pw@db/own?sslmode=require")});
        require(!named.unnamedHere || named.password.isEmpty(), "a password goes to a place that is not named here");
        require(named.engine == history::Location::Engine::Postgres, "a file of this machine is opened");
    } catch (const history::InvalidLocation &) {
    } catch (const history::LocationNotListed &) {
    }
}
