#include "gui/workspace/feed_needs.h"

#include "gui/feeds/feed.h"
#include "gui/shell/page.h"
#include "gui/shell/shell.h"

#include <algorithm>

namespace drover::gui {

void FeedNeeds::add(Feed &feed, const QStringList &pages)
{
    m_entries.push_back(std::make_unique<Entry>());
    Entry *const entry = m_entries.back().get();
    entry->feed = &feed;
    entry->hidden.setSingleShot(true);
    connect(&entry->hidden, &QTimer::timeout, this, [this, entry] { setAwake(*entry, false); });
    connect(&feed, &Feed::woken, this, [this, entry] { setWaking(*entry, false); });
    for (const QString &name : pages) {
        const Page *const page = m_shell.find(name);
        entry->pages.push_back(page);
        connect(page, &Page::awakeChanged, this, [this, entry] { update(*entry); });
    }
    update(*entry);
}

void FeedNeeds::want(const Feed &feed, bool wanted)
{
    for (const std::unique_ptr<Entry> &entry : m_entries) {
        if (entry->feed == &feed && wanted != std::exchange(entry->isWanted, wanted))
            update(*entry);
    }
}

void FeedNeeds::setAllNeeded(bool needed)
{
    if (needed == std::exchange(m_allNeeded, needed))
        return;
    for (const std::unique_ptr<Entry> &entry : m_entries)
        update(*entry);
}

bool FeedNeeds::isWaking(const Page *page) const
{
    return std::any_of(m_entries.begin(), m_entries.end(), [&](const std::unique_ptr<Entry> &entry) {
        return entry->isWaking && std::find(entry->pages.begin(), entry->pages.end(), page) != entry->pages.end();
    });
}

void FeedNeeds::update(Entry &entry)
{
    const bool isNeeded = m_allNeeded || entry.isWanted
        || std::any_of(entry.pages.begin(), entry.pages.end(), [](const Page *page) { return page->isAwake(); });
    if (!isNeeded) {
        entry.hidden.start(m_patience);
        return;
    }
    entry.hidden.stop();
    if (!entry.isAwake)
        setAwake(entry, true);
}

void FeedNeeds::setAwake(Entry &entry, bool awake)
{
    entry.isAwake = awake;
    setWaking(entry, awake);
    QMetaObject::invokeMethod(entry.feed, [feed = entry.feed, awake] { feed->setAwake(awake); });
}

void FeedNeeds::setWaking(Entry &entry, bool waking)
{
    if (waking == std::exchange(entry.isWaking, waking))
        return;
    Q_EMIT wakingChanged();
}

} // namespace drover::gui
