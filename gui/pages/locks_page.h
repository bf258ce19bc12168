#pragma once

#include "gui/pages/table_page.h"

namespace drover::gui {

class LockModel;
class Notice;

// The locks, each with its holder and those who wait for it. A deadlock is explained above them. The badge counts the
// locks, or the deadlocks.
class LocksPage final : public TablePage
{
    Q_OBJECT

public:
    LocksPage(LockModel &model, ActionRegistry &actions);

protected:
    QString whenEmpty(const ConnectionState &state) const override;

private:
    void count();
    void warn();

    LockModel &m_model;
    Notice *m_notice;
};

} // namespace drover::gui
