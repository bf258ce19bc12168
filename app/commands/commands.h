#pragma once

#include "app/commands/registry.h"

namespace drover::app {

// The commands of the program drover.
QList<CommandGroup> droverCommands();

// One function for each command. It returns the description of the command, which contains its code.
Command complete();
Command completion();
Command manual();
Command cronAdd();
Command cronLs();
Command cronShow();
Command cronRm();
Command cronPause();
Command cronResume();
Command cronRun();
Command up();
Command down();
Command worker();
Command submit();
Command run();
Command ls();
Command show();
Command logs();
Command wait();
Command cancel();
Command hold();
Command release();
Command requeue();
Command resubmit();
Command signal();
Command priority();
Command move();
Command launch();
Command configCheck();
Command workerLs();
Command workerShow();
Command workerCordon();
Command workerUncordon();
Command workerDrain();
Command queueLs();
Command queuePause();
Command queueResume();
Command queueLimit();
Command limitSet();
Command limitLs();
Command masterShow();
Command masterStepdown();
Command lock();
Command history();
Command historyExport();
Command historyKeep();
Command clusterLimits();
Command clusterStatus();
Command clusterCheck();
Command clusterPrepare();
Command semaphore();
Command elect();
Command barrier();
Command doubleBarrier();
Command group();
Command configGet();
Command configSet();
Command configWatch();
Command counter();
Command queue();
Command append();
Command filesLs();
Command filesShow();
Command filesVerify();
Command filesForget();
Command tree();
Command demo();
Command demoCount();
Command doctor();
Command events();
Command top();
Command why();
Command clusterInit();
Command clusterSecure();
Command userAdd();
Command userRm();
Command userLs();
Command workerAdd();
Command keyRotate();
Command keySign();
Command login();
Command whoami();

} // namespace drover::app
