#pragma once

#include <QStringList>

namespace drover::gui {

// The languages in which the console speaks: "en", "zh_CN".
QStringList allLanguages();

// The first of `wanted` that the console speaks, or English. They are names as QLocale::uiLanguages() has them, and
// any that is written with simplified characters counts as "zh_CN".
QString languageFor(const QStringList &wanted);

// Translates what is shown from now on, also by Qt. It is called once, by the main thread, before any window is made.
void speak(const QString &language);

} // namespace drover::gui
