#pragma once

#include "gui/shell/page.h"

namespace drover::gui {

class TableView;
class LockModel;

// The locks, each with its holder and those who wait for it. The badge counts the locks.
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

    LockModel &m_model;
    TableView *m_table;
};

} // namespace drover::gui
