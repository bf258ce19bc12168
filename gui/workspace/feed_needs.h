#pragma once

#include <QObject>
#include <QTimer>

#include <chrono>
#include <memory>
#include <vector>

namespace drover::gui {

class Feed;
class Page;
class Shell;

// Lets a feed sleep once all pages that need it have been hidden for a while, and wakes it when one of them is seen.
class FeedNeeds final : public QObject
{
    Q_OBJECT

public:
    static constexpr std::chrono::milliseconds UsualPatience{10'000};

    explicit FeedNeeds(const Shell &shell, std::chrono::milliseconds patience = UsualPatience)
        : m_shell(shell), m_patience(patience)
    {
    }

    // The feed outlives this object. It lives on any thread.
    void add(Feed &feed, const QStringList &pages);
    // Something beside the pages needs it as well, until it does not.
    void want(const Feed &feed, bool wanted);
    // While it is set, no feed sleeps.
    void setAllNeeded(bool needed);
    // From now on, for tests.
    void setPatience(std::chrono::milliseconds patience) { m_patience = patience; }
    // Whether what this page shows is being read again.
    bool isWaking(const Page *page) const;

Q_SIGNALS:
    void wakingChanged();

private:
    struct Entry {
        Feed *feed;
        std::vector<const Page *> pages;
        QTimer hidden; // since the last of them was seen
        bool isWanted = false; // beside the pages
        bool isAwake = true;
        bool isWaking = false;
    };

    void update(Entry &entry);
    void setAwake(Entry &entry, bool awake);
    void setWaking(Entry &entry, bool waking);

    const Shell &m_shell;
    std::chrono::milliseconds m_patience;
    bool m_allNeeded = false;
    std::vector<std::unique_ptr<Entry>> m_entries;
};

} // namespace drover::gui
