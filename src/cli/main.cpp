// cartan COMMAND ...: the table of commands and what surrounds them.
#include <fmt/core.h>

#include "cli/command.h"
#include "cli/terminal/streams.h"
#include "core/diagnostics.h"

// Commands that the program of a first run (cli/first/whole.h) leaves to the whole.
#ifdef CARTAN_FIRST
#include "cli/first/whole.h"
#define CARTAN_LATER(command) hand_to_whole
#else
#define CARTAN_LATER(command) command
#endif

// In packages the commands are part of the shared library, `reproduce` among them; in a checkout
// that is a program of its own.
#ifdef CARTAN_PACKAGE
#include "reproduction/reproduce.h"
#define CARTAN_REPRODUCE reproduction::reproduce_command
#else
#define CARTAN_REPRODUCE CARTAN_LATER(hand_to_reproduction)
#endif

namespace cartan::cli {
namespace {

struct Command {
  const char* name;
  const char* summary;
  int (*run)(const Words& words);
};

const Command commands[] = {
    {"run", "simulate a model; print a summary, write the motion", run_command},
    {"check", "validate a model; print its tree, degrees of freedom and mass", check_command},
    {"eval", "accelerations, mass matrix, reactions and energies at one state", eval_command},
    {"inverse", "generalised forces for a prescribed motion", CARTAN_LATER(inverse_command)},
    {"compare", "the same motion by several methods: errors, drift, cost, order",
     CARTAN_LATER(compare_command)},
    {"equations", "the symbolic equations of motion, as text or LaTeX",
     CARTAN_LATER(equations_command)},
    {"generate", "code for them: C, C++, Python, Octave, CUDA", CARTAN_LATER(generate_command)},
    {"orbit", "find a periodic orbit, its period and Floquet multipliers",
     CARTAN_LATER(orbit_command)},
    {"lyapunov", "Lyapunov exponents; sections of a motion", CARTAN_LATER(lyapunov_command)},
    {"linearize", "eigenvalues and modes at a steady motion", CARTAN_LATER(linearize_command)},
    {"equilibrium", "find a steady state: at rest or moving along symmetries",
     CARTAN_LATER(equilibrium_command)},
    {"continue", "follow steady motions or orbits along a parameter; bifurcations",
     CARTAN_LATER(continue_command)},
    {"view", "show a run, or a model's initial assembly, in the browser",
     CARTAN_LATER(view_command)},
    {"plot", "charts of results as SVG or PNG", CARTAN_LATER(plot_command)},
    {"reproduce", "every table and figure of the source documents, in one report",
     CARTAN_REPRODUCE},
    {"fit", "parameters from measurements, with their uncertainty", CARTAN_LATER(fit_command)},
    {"study", "many runs with numbers that vary: statistics, Sobol indices, grids",
     CARTAN_LATER(study_command)},
    {"optimise", "parameters and initial values that minimise an expression of a run",
     CARTAN_LATER(optimise_command)},
    {"steer", "optimal control: inputs that bring a machine from A to B at least cost",
     CARTAN_LATER(steer_command)},
    {"ik", "configurations that meet targets: one, or all of them", CARTAN_LATER(ik_command)},
    {"import", "turn a URDF, MJCF or SDF file into a model file", CARTAN_LATER(import_command)},
    {"new", "write a ready model file to start from", new_command},
};

// Commands other versions have, and what does their work here.
struct AbsentCommand {
  const char* name;
  const char* instead;
};
const AbsentCommand absent_commands[] = {
    {"sweep", "`cartan study MODEL --vary P=lin(A,B,N) --keep NAME=final(EXPR)` does its work"},
    {"python",
     "in a checkout `./cartan python` starts it; elsewhere install the package python3-cartan, or "
     "the wheel (tools/package makes both)"},
    {"notebook",
     "in a checkout `./cartan notebook` starts Jupyter; elsewhere install the package "
     "python3-cartan, or the wheel (tools/package makes both)"}};

void print_help() {
  fmt::print(
      "cartan {}: motion of multibody mechanisms and of plain differential equations\n\n"
      "Usage: cartan COMMAND [OPTIONS]\n\nCommands:\n",
      CARTAN_VERSION);
  for (const Command& command : commands)
    fmt::print("  {:<11} {}\n", command.name, command.summary);
  fmt::print(
      "\n`cartan COMMAND --help` explains one of them; `cartan --version` prints the version.\n"
      "\nTo begin:\n"
      "  cartan new double-pendulum --out double.toml\n"
      "  cartan run double.toml --duration 5 --out result\n"
      "\nIn a checkout, `./cartan python` starts Python with all of this as a module, `./cartan "
      "notebook` Jupyter.\n");
}

int refuse_command(const std::string& name) {
  std::vector<std::string> known;
  for (const AbsentCommand& absent : absent_commands) {
    known.push_back(absent.name);
    if (name != absent.name) continue;
    fmt::print(stderr, "cartan: the command '{}' is not part of this version ({}); {}.\n", name,
               CARTAN_VERSION, absent.instead);
    return exit_bad_input;
  }
  for (const Command& command : commands) known.push_back(command.name);
  const std::string near = nearest_name(name, known);
  const char* kind = name.starts_with("-") ? "option" : "command";
  fmt::print(stderr, "cartan: unknown {} '{}'{}\n", kind, name,
             near.empty() ? "; `cartan --help` lists the commands."
                          : fmt::format("; did you mean '{}'?", near));
  return exit_bad_input;
}

int dispatch(const Words& words) {
  if (words.empty()) {
    fmt::print(stderr, "cartan: expected a command; `cartan --help` lists them.\n");
    return exit_bad_input;
  }
  const std::string& first = words[0];
  if (first == "--help" || first == "-h" || first == "help") {
    print_help();
    return exit_done;
  }
  if (first == "--version") {
    fmt::print("cartan {}\n", CARTAN_VERSION);
    return exit_done;
  }
  for (const Command& command : commands)
    if (first == command.name) return command.run({words.begin() + 1, words.end()});
  return refuse_command(first);
}

}  // namespace
}  // namespace cartan::cli

static int start_command(int count, char** words) {
#ifdef CARTAN_FIRST
  cartan::cli::remember_words(words);
#endif
  return cartan::cli::run_program(count, words, cartan::cli::dispatch);
}

#ifdef CARTAN_PACKAGE
// What the command of a package calls (cli/package/start.cpp).
extern "C" __attribute__((visibility("default"))) int cartan_command_line(int count, char** words) {
  return start_command(count, words);
}
#else
int main(int count, char** words) {
  return start_command(count, words);
}
#endif
