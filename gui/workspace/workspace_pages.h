#pragma once

namespace drover::gui {

class ActionRegistry;
class ClusterCommands;
struct ConsoleModels;
class ConsoleSession;
class EventsPage;
class Gateway;
class JobDialogs;
class JobsPage;
class LocksPage;
class OverviewPage;
class QueuesPage;
class SavedViews;
class SchedulesPage;
class Shell;
class StartView;
class WorkersPage;
class ZnodesPage;

// The pages of a workspace that show what its models know. Its shell owns them.
struct WorkspacePages {
    OverviewPage *overview;
    JobsPage *jobs;
    QueuesPage *queues;
    WorkersPage *workers;
    LocksPage *locks;
    ZnodesPage *znodes;
    SchedulesPage *schedules;
    EventsPage *events;
};

// Adds them, in the order of the rail. The models, the actions and the views outlive the shell.
WorkspacePages addPages(Shell &shell, ConsoleModels &models, ActionRegistry &actions, SavedViews &views);

// Connects what the user does on them with what carries it out. All outlive the pages.
struct PageCommands {
    ClusterCommands &commands;
    JobDialogs &dialogs;
    ConsoleSession &session;
    const Gateway &gateway;
};
void joinPages(const WorkspacePages &pages, Shell &shell, const PageCommands &with);

// Adds the page Lab. The start view opens it in a window of its own, for it needs no connection.
void addLab(Shell &shell, const StartView &start);

} // namespace drover::gui
