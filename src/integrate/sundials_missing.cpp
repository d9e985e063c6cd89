// In place of sundials.cpp where SUNDIALS is not installed.
#include "integrate/sundials.h"

namespace cartan::integrate {

std::unique_ptr<Integrator> make_cvode_integrator(const System&, const IntegratorOptions&) {
  return nullptr;  // refused before
}

std::unique_ptr<Integrator> make_ida_integrator(const System&, const IntegratorOptions&) {
  return nullptr;
}

std::string refuse_sundials(const System&) {
  return "this integrator needs the SUNDIALS library, which was not there when this program was "
         "built; install Debian's package libsundials-dev and name the integrator on the command "
         "line of ./cartan, which builds it in. gl3 copes with stiff systems too";
}

}  // namespace cartan::integrate
