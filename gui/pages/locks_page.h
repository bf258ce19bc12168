#pragma once

#include "gui/shell/page.h"

namespace drover::gui {

class TableView;
class LockModel;
class Notice;

// The locks, each with its holder and those who wait for it. A deadlock is explained above them. The badge counts the
// locks, or the deadlocks.
class LocksPage final : public Page
{
    Q_OBJECT

public:
    explicit LocksPage(LockModel &model);

    void showState(const ConnectionState &state) override;
    void saveTo(QSettings &settings) const override;
    void restoreFrom(const QSettings &settings) override;

protected:
    QWidget *mainPart() const override;
    void activate() override;
    void deactivate() override;

private:
    void count();
    void warn();

    LockModel &m_model;
    Notice *m_notice;
    TableView *m_table;
};

} // namespace drover::gui
