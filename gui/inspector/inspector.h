#pragma once

#include "gui/inspector/facts.h"
#include "gui/inspector/sources.h"

#include <QTimer>
#include <QWidget>

class QAction;
class QHBoxLayout;
class QLabel;
class QStackedLayout;
class QToolButton;

namespace drover::gui {

struct ConnectionState;
class FactSheet;
class Gateway;
class JobPanel;

// All that is known of one thing of the cluster, while it changes, and what may be done to it. It follows what is
// selected, unless it is pinned. While it is not seen it follows nothing.
class Inspector final : public QWidget
{
    Q_OBJECT

public:
    // In a window of its own it stays with one thing. The gateway outlives it, as do the models of `sources`.
    enum class Place { Panel, Window };
    Inspector(const Sources &sources, const Gateway &gateway, Place place = Place::Panel);

    const EntityRef &entity() const { return m_entity; }
    void inspect(const EntityRef &entity);
    void follow(const EntityRef &selection); // unless it is pinned, or nothing is selected
    bool isPinned() const;
    void setPinned(bool pinned);
    void forget(); // another cluster is shown

    JobPanel *job() const { return m_job; } // null: no job is shown
    void showState(const ConnectionState &state);
    void showNode(const ZnodeContents &contents); // of the znode that is shown; others are left out

Q_SIGNALS:
    // It shows something else, or is seen, or is hidden: other feeds are needed.
    void needsChanged();
    void jobOpened(drover::gui::JobPanel *panel); // which lives until another thing is shown
    void entityWanted(const drover::gui::EntityRef &entity);
    void offerTaken(const drover::gui::EntityRef &entity, const QByteArray &offer);
    void openWanted(const drover::gui::EntityRef &entity); // in an inspector
    void windowWanted(const drover::gui::EntityRef &entity);
    void closeWanted();

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    QLayout *newHead(Place place);
    QToolButton *newButton(const QString &icon, const QString &title);
    void wire(const Gateway &gateway);
    void open();
    void openJob();
    void refresh();
    Facts factsNow() const;
    void showHead(const Facts &facts);
    void elideTitle();
    void offer(const QList<Offer> &offers);
    void obey();
    void take(const EntityRef &entity, const QByteArray &offer);

    Sources m_sources;
    const Gateway &m_gateway;
    EntityRef m_entity;
    QLabel *m_dot;
    QLabel *m_title;
    QString m_whole; // the title
    QLabel *m_asOf;
    QToolButton *m_pin;
    QToolButton *m_window;
    QHBoxLayout *m_offers;
    QList<Offer> m_offered;
    std::vector<std::pair<Offer, QAction *>> m_actions; // of what is offered
    QStackedLayout *m_body;
    QLabel *m_nothing;
    FactSheet *m_sheet;
    JobPanel *m_job = nullptr;
    int m_shownTab = 0; // JobPanel::Tab of the last job: the next one begins with that
    std::optional<ZnodeContents> m_node;
    QTimer m_soon; // what changes is shown at most ten times a second
};

} // namespace drover::gui
