#include "app/commands/commands.h"
#include "app/program/program.h"

int main(int argc, char **argv)
{
    return drover::app::runProgram(argc, argv, drover::app::droverCommands());
}
