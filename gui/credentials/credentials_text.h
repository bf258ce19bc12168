#pragma once

#include "gui/data/given_credentials.h"
#include "gui/data/snapshots.h"
#include "zk/access.h"

namespace drover::gui {

// As the keyring keeps them: the text of a credentials file, or "digest:user:password" as in DROVER_AUTH. It is secret.
QByteArray encodeCredentials(const GivenCredentials &given);

// Reads such a text, which has at most a megabyte. Throws trust::BadCredentials with one line for people and without
// the secret, also if the credentials are of another cluster than the target's.
GivenCredentials decodeCredentials(const QByteArray &text, const Target &target);

// Names the person and the roles of these credentials, in one line without a secret. Empty if none are given.
QString aboutCredentials(const GivenCredentials &given);

// Whose password of ZooKeeper a session has with this access: the user of the last one of the scheme "digest". Empty:
// none.
QString passwordUser(const zk::Access &access);

} // namespace drover::gui
