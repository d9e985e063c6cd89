// cartan-reproduce: what `cartan reproduce` runs.
#include "cli/terminal/streams.h"
#include "reproduction/reproduce.h"

int main(int count, char** words) {
  return cartan::cli::run_program(count, words, cartan::reproduction::reproduce_command);
}
