#pragma once

#include "gui/data/snapshots.h"

#include <QObject>

#include <functional>

namespace drover::gui {

// The keyring of the user's desktop, by QtKeychain: a secret service or KWallet. It keeps one text for each connection,
// by the cluster's name and the whole connect string, so that no other servers get it. Nothing is ever kept outside the
// keyring.
//
// All of it happens on one thread of the process, which the first request makes. QtKeychain asks some services by calls
// that block, and does one thing after the other. An answer may take as long as the user looks at a prompt, or for ever
// if the service hangs. So no caller waits for it. It comes on the thread of this object, which is that of the window.
// A service that is started again while the console runs cannot be written to: libsecret keeps its session with the old
// one. The answer says so.
class Keyring final : public QObject
{
    Q_OBJECT

public:
    struct Answer {
        enum class Kind {
            Done, // what was asked for
            Nothing, // the keyring has no such text
            Refused, // it is locked, or does not let the program do that: see why
            Unavailable, // there is no keyring, or it is broken: see why
        };
        Kind kind = Kind::Nothing;
        QByteArray secret{}; // of read()
        QString why{}; // one line for people
    };
    using Then = std::function<void(const Answer &answer)>;

    using QObject::QObject;

    // `then` is called once, later, unless `asker` is destroyed before.
    void read(const Target &target, QObject *asker, Then then);
    void write(const Target &target, const QByteArray &secret, QObject *asker, Then then);
    // Done: the secret was overwritten, and a read after that has found nothing. What is written meanwhile comes later.
    void forget(const Target &target, QObject *asker, Then then);
};

} // namespace drover::gui
