#pragma once

#include "async/event.h"
#include "async/task.h"

#include <QSocketNotifier>
#include <QStringList>

#include <termios.h>

namespace drover::app {

// The terminal taken over for as long as this lives: its other screen, no cursor, keys as they are pressed. What was
// there comes back with the destructor. One instance, of the thread with the event loop; standard output is a terminal.
class FullScreen
{
public:
    FullScreen();
    FullScreen(const FullScreen &) = delete;
    FullScreen &operator=(const FullScreen &) = delete;
    ~FullScreen();

    int width() const;
    int height() const;

    // Each line is at most width() wide; there are at most height().
    void show(const QStringList &lines);

    // Returns when q has been pressed, or standard input has ended.
    async::Task<void> quit();

private:
    void readKeys();

    bool m_hasKeys = false;
    termios m_before{};
    QSocketNotifier m_keys;
    async::Event m_quit;
};

} // namespace drover::app
