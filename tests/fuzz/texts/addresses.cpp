#include "app/cli/failure.h"
#include "app/cluster/listen_address.h"
#include "fuzz/harness/target.h"
#include "net/endpoint.h"
#include "zk/access.h"
#include "zk/client/connect_string.h"

using namespace drover;

// Connect strings, endpoints, listen addresses, credentials and ACLs.
DROVER_FUZZ_TARGET(addresses, Form::Bytes)
{
    const QString text = QString::fromUtf8(input);
    if (const auto servers = unlessRefused<zk::InvalidConnectString>([&] { return zk::parseConnectString(text); })) {
        QStringList texts;
        for (const zk::ServerAddress &server : *servers)
            texts.append(server.toString());
        const QString again = texts.join(u',') + zk::chrootOf(text).toString();
        require(zk::parseConnectString(again) == *servers, "the text of servers has others");
        require(zk::chrootOf(again) == zk::chrootOf(text), "the text of servers has another path");
    }
    if (const auto endpoint = net::Endpoint::parse(text))
        require(net::Endpoint::parse(endpoint->toString()) == endpoint, "the text of an endpoint has another");
    (void)unlessRefused<app::UsageError>([&] { return app::ListenAddress::parse(text, QStringLiteral("--listen")); });
    (void)unlessRefused<zk::InvalidAccess>([&] { return zk::parseAcl(input); });
    (void)unlessRefused<zk::InvalidAccess>([&] { return zk::parseAuthInfo(input); });
}
