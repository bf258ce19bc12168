#include "app/commands/commands.h"

namespace drover::app {

QList<CommandGroup> droverCommands()
{
    return {
        {"Jobs",
         {submit(), run(), ls(), show(), why(), logs(), wait(), cancel(), hold(), release(), requeue(), resubmit(),
          signal(), priority(), move(), events(), history(), historyExport(), historyKeep()}},
        {"Jobs that recur", {cronAdd(), cronLs(), cronShow(), cronRm(), cronPause(), cronResume(), cronRun()}},
        {"The cluster",
         {up(),           down(),           worker(),         configCheck(),    launch(),        workerLs(),
          workerShow(),   workerCordon(),   workerUncordon(), workerDrain(),    queueLs(),       queuePause(),
          queueResume(),  queueLimit(),     limitSet(),       limitLs(),        clusterLimits(), clusterStatus(),
          clusterCheck(), clusterPrepare(), masterShow(),     masterStepdown(), top(),           doctor(),
          tree(),         completion()}},
        {"Who is who",
         {clusterInit(), clusterSecure(), userAdd(), userRm(), userLs(), workerAdd(), login(), whoami(), keyRotate(),
          keySign()}},
        {"Coordination for scripts",
         {lock(), semaphore(), elect(), barrier(), doubleBarrier(), group(), configGet(), configSet(), configWatch(),
          counter(), queue(), append(), filesLs(), filesShow(), filesVerify(), filesForget()}},
        {"To see how it works, and how fast",
         {demo()},
         {{"lab", "drover-bench", "Show a recipe at work, with its znodes: drover lab lists which"},
          {"bench", "drover-bench", "Measure jobs, locks, submits and more: drover bench lists what"}}},
        {nullptr, {demoCount(), complete(), manual()}},
    };
}

} // namespace drover::app
