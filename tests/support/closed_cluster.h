#pragma once

#include "trust/credentials.h"

#include <chrono>
#include <memory>

namespace drover::test {

// A root key and the credentials of people, as an administrator hands them out.
struct ClosedCluster {
    trust::SigningKey root = trust::SigningKey::generate();
    QByteArray clusterId = trust::Certificate::newClusterId();

    trust::Certificate certificate(const QString &name, const trust::SigningKey &key,
                                   trust::Roles roles = {trust::Role::Submit}) const
    {
        return {.clusterId = clusterId,
                .serial = trust::Certificate::newSerial(),
                .name = name,
                .key = key.publicKey(),
                .roles = std::move(roles)};
    }

    // `change` edits the certificate before it is signed, by the root or by `issuer`.
    template <class Change>
    std::shared_ptr<trust::Credentials> person(const QString &name, const Change &change,
                                               const trust::SigningKey *issuer = nullptr) const
    {
        auto mine = std::make_shared<trust::Credentials>();
        mine->cluster = "default";
        mine->anchors = {clusterId, {issuer ? issuer->publicKey() : root.publicKey()}}; // as the forger would have it
        trust::Certificate paper = certificate(name, mine->key);
        change(paper);
        mine->certificate = paper.signedBy(issuer ? *issuer : root);
        return mine;
    }
    std::shared_ptr<trust::Credentials> person(const QString &name) const
    {
        return person(name, [](trust::Certificate &) {});
    }
};

} // namespace drover::test
