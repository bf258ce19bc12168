#pragma once

#include "gui/shell/known_connections.h"

#include <QWidget>

#include <functional>

class QCommandLinkButton;
class QIcon;
class QVBoxLayout;

namespace drover::gui {

// What the window shows while it is not connected: the clusters that were used last, and the one of this machine. It
// leads to any other, too.
class StartView final : public QWidget
{
    Q_OBJECT

public:
    static constexpr qsizetype MostRecent = 5;

    explicit StartView(QWidget *parent = nullptr);

    // Asked for the recent connections whenever the view is shown.
    using Source = std::function<QList<Connection>()>;
    void setSource(Source source) { m_source = std::move(source); }
    // Where a cluster of this machine is, or would be.
    void setLocal(const Target &target);

Q_SIGNALS:
    void connectWanted(const drover::gui::Target &target);
    void otherWanted(); // to be typed
    void labWanted(); // it needs no cluster

protected:
    void showEvent(QShowEvent *event) override;

private:
    void makeChoices();
    QCommandLinkButton *add(const QIcon &icon, const QString &title, const QString &about);
    void addTarget(const QIcon &icon, const QString &title, const QString &about, const Target &target);

    Source m_source;
    Target m_local{QStringLiteral("127.0.0.1:2181")};
    QVBoxLayout *m_column;
    QList<QCommandLinkButton *> m_choices;
};

} // namespace drover::gui
