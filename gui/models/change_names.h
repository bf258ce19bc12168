#pragma once

#include "gui/data/lock_node.h"

namespace drover::gui {

// How the window names what is to be changed.

// One who holds a lock or waits for it: its own words, or its ticket.
QString whoIs(const LockRow &contender);
LockNode lockNodeOf(const LockRow &contender);
// What the user types before this place is taken: the name of the lock, if keys can write it. Otherwise the number of
// the place, or its session.
QString nameToType(const LockRow &contender);

// What the dialog says in which the user takes this place from its contender.
struct BreakWords {
    QString title;
    QString question;
    QString meaning; // what comes of it
    QString yes; // on a button
    QString typed; // the accessible name of the field in which nameToType() is typed
    QString done; // once it has been done
};
BreakWords breakWords(const LockRow &contender);

// The first of several queues or workers, with a line break: it stands above what is said of them. Of one, nothing.
QString listOf(const QByteArrayList &names);
// For a label or a button: an ampersand in a name is no mnemonic.
QString asWritten(QString name);

} // namespace drover::gui
