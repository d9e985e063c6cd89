#include "study/portable_math.h"

#include "study/kernel/sampling_functions.h"

namespace cartan::study {

double portable_log(double x) {
  return sampling::sample_log(x);
}
double portable_exp(double x) {
  return sampling::sample_exp(x);
}
double normal_quantile(double p) {
  return sampling::sample_normal(p);
}

}  // namespace cartan::study
