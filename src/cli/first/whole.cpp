#include "cli/first/whole.h"

#include <cstdlib>

#include <fmt/core.h>
#include <unistd.h>

#include "codegen/rate_compiler.h"
#include "import/import.h"
#include "integrate/stepping/moreau.h"
#include "mechanics/absolute/absolute_system.h"
#include "mechanics/elements/rotation_system.h"
#include "mechanics/momenta/canonical_system.h"
#include "mechanics/stepping/stepped_contacts.h"
#include "report/run_report.h"

namespace cartan::cli {
namespace {

char** words_of_program = nullptr;

}  // namespace

void remember_words(char** words) {
  words_of_program = words;
}

// The launcher tells its path; CARTAN_WHOLE makes it build everything.
int hand_to_whole(const Words&) {
  const char* const launcher = std::getenv("CARTAN_LAUNCHER");
  if (launcher && words_of_program && !std::getenv("CARTAN_WHOLE")) {
    setenv("CARTAN_WHOLE", "yes", 1);
    words_of_program[0] = const_cast<char*>(launcher);
    execv(launcher, words_of_program);
  }
  fmt::print(
      stderr,
      "cartan: this is the program of a first run, which has `run`, `check`, `eval` and "
      "`new`; `./cartan` of the checkout builds the rest, by hand `ninja -C build cartan`.\n");
  return exit_failed;
}

}  // namespace cartan::cli

// Functions of other folders that this program does not hold. All of them are asked for before
// anything is printed, but for the report of a run, for which the launcher takes the whole at once.

std::shared_ptr<cartan::mechanics::RateCompiler> cartan::codegen::make_rate_compiler(
    const Model&, std::vector<double>) {
  std::exit(cli::hand_to_whole({}));
}

// Formulations other than those in joint coordinates and speeds.

std::string cartan::mechanics::refuse_absolute(const Model&) {
  std::exit(cli::hand_to_whole({}));
}
std::unique_ptr<cartan::mechanics::MechanicalSystem> cartan::mechanics::make_absolute_se3(
    const Model&, std::vector<double>) {
  std::exit(cli::hand_to_whole({}));
}
std::unique_ptr<cartan::mechanics::MechanicalSystem> cartan::mechanics::make_absolute_so3r3(
    const Model&, std::vector<double>) {
  std::exit(cli::hand_to_whole({}));
}
std::string cartan::mechanics::refuse_rotation_elements(const Model&) {
  std::exit(cli::hand_to_whole({}));
}
std::unique_ptr<cartan::mechanics::MechanicalSystem> cartan::mechanics::make_rotation_elements(
    const Model&, std::vector<double>) {
  std::exit(cli::hand_to_whole({}));
}
std::string cartan::mechanics::refuse_canonical(const Model&) {
  std::exit(cli::hand_to_whole({}));
}
std::unique_ptr<cartan::mechanics::MechanicalSystem> cartan::mechanics::make_canonical_system(
    const Model&, std::vector<double>) {
  std::exit(cli::hand_to_whole({}));
}

// Time stepping over contacts.

std::unique_ptr<cartan::system::ContactStepping> cartan::mechanics::make_stepped_contacts(
    const Mechanism<double>&, const StateSpace&, SteppedContacts::ScratchOf,
    SteppedContacts::FillKinematics) {
  std::exit(cli::hand_to_whole({}));
}
std::unique_ptr<cartan::integrate::Integrator> cartan::integrate::make_moreau_integrator(
    const System&, const IntegratorOptions&) {
  std::exit(cli::hand_to_whole({}));
}
std::string cartan::integrate::refuse_moreau(const System&) {
  std::exit(cli::hand_to_whole({}));
}

std::optional<cartan::import::ImportedModel> cartan::import::import_model_file(const std::string&,
                                                                               const ImportOptions&,
                                                                               Diagnostics&) {
  std::exit(cli::hand_to_whole({}));
}

std::string cartan::report::run_report_page(const std::string&, const RunReportFacts&,
                                            std::string&) {
  std::exit(cli::hand_to_whole({}));
}
