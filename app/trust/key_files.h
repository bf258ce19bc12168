#pragma once

#include "app/environment/context.h"
#include "trust/issuer.h"

namespace drover::app {

// The files of keys, for commands. All block on the file system. They throw CommandError: Denied for a file that is not
// safe or damaged, WrongState for one that exists already.

trust::Credentials readCredentials(const QString &path);

// That of --root-key, or root.key in the current directory.
QString rootKeyFile(const Arguments &arguments);
trust::RootKey readRootKey(const Arguments &arguments);
trust::RootKey readRootKey(const QString &path);
QCommandLineOption rootKeyOption();

// Checks that no file is there. So a key that is still needed is never overwritten.
void requireNoFile(const QString &path);
// Both check that as well, and make files of mode 0600.
void writeNew(const QString &path, const trust::Credentials &credentials);
void writeNew(const QString &path, const trust::RootKey &root);

// Makes these the credentials of this user, or of this machine: userCredentialsFile(), systemCredentialsFile().
// Replaces earlier ones of the same cluster. Returns the file's name.
QString logIn(const trust::Credentials &credentials, bool isForMachine);

} // namespace drover::app
