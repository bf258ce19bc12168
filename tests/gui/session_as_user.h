#pragma once

#include "app/support/access_of.h"
#include "app/support/drover_on_server.h"
#include "gui/feeds/console_session.h"
#include "zk/client/session.h"

namespace drover::test {

// Sessions of a user of the cluster who has all roles. `cluster` outlives them.
inline gui::SessionSource sessionAsUser(DroverOnServer &cluster)
{
    return [&cluster](async::Loop &loop, const gui::Target &target, const gui::GivenCredentials &) {
        const auto credentials = std::make_shared<const trust::Credentials>(cluster.credentials().copy());
        zk::SessionOptions options;
        options.servers = target.connect;
        options.access = accessOf(*credentials);
        auto session = std::make_unique<zk::Session>(loop, options);
        session->open();
        return gui::OpenedSession{std::move(session), credentials};
    };
}

} // namespace drover::test
