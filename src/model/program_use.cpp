#include "model/program_use.h"

#include "expr/operands.h"

namespace cartan::model {
std::size_t find_output(const Program& program, int instruction) {
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    std::vector<char> needed(program.code.size(), 0);
    needed[program.outputs[k]] = 1;
    for (int i = program.outputs[k]; i >= 0; --i)
      if (needed[i])
        visit_operands(program, program.code[i], [&](int operand) { needed[operand] = 1; });
    if (needed[instruction]) return k;
  }
  return 0;
}

}  // namespace cartan::model
