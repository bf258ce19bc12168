#pragma once

#include "app/console_bench/stall_meter.h"
#include "gui/feeds/feed_thread.h"
#include "gui/window/main_window.h"
#include "gui/workspace/console_models.h"

namespace drover::app {

// The window of the console with its session and models, as the program makes it, without saved settings.
class BenchWindow
{
public:
    explicit BenchWindow(const QString &connect, gui::HistoryPlace history = {});

    gui::ConsoleModels &models() { return m_models; }
    gui::MainWindow &window() { return m_window; }
    StallMeter &stalls() { return m_stalls; }

    // Returns when it is connected and knows the jobs.
    void connect();
    // Returns when the page has been painted. Throws std::logic_error if there is no such page.
    void showPage(const char *name);

private:
    const QString m_connect;
    gui::FeedThread m_feeds;
    gui::ConsoleModels m_models;
    gui::MainWindow m_window;
    StallMeter m_stalls;
};

} // namespace drover::app
