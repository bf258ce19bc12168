#pragma once

#include "async/event.h"
#include "async/task.h"

#include <QSocketNotifier>
#include <QStringList>

#include <termios.h>

namespace drover::app {

// Takes over the terminal while this object lives: the alternate screen, without cursor, and each key read at once. The
// destructor restores the screen. Use one instance, on the thread with the event loop. Standard output must be a
// terminal.
class FullScreen
{
public:
    FullScreen();
    FullScreen(const FullScreen &) = delete;
    FullScreen &operator=(const FullScreen &) = delete;
    ~FullScreen();

    int width() const;
    int height() const;

    // Shows at most height() lines, each at most width() columns wide.
    void show(const QStringList &lines);

    // Returns when q is pressed or standard input ends.
    async::Task<void> quit() { return async::untilSet(m_quit); }

private:
    void readKeys();

    bool m_hasKeys = false;
    termios m_before{};
    QSocketNotifier m_keys;
    async::Event m_quit;
};

} // namespace drover::app
