#pragma once

#include <QByteArray>
#include <QString>

namespace drover::app {

// A word of the command line as QString. If a word is not UTF-8, each byte from 128 on becomes an unpaired low
// surrogate, which never comes from UTF-8. So the word can be passed on as it was typed, and is not mistaken for text.
QString argvText(const QByteArray &bytes);
QByteArray argvBytes(const QString &typed);
bool isText(const QString &typed); // whether the word was UTF-8

} // namespace drover::app
