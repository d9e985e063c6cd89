#include "codegen/languages/turn_helper.h"

namespace cartan::codegen {

// The library takes some forty cycles for one angle, as many as four take side by side. The parts
// of pi/2 have 33 binary digits: their products with k, of 20 digits at most, are exact, and the
// first difference is. What rounding takes from the second one is kept in `rest`. The polynomials
// are those of study/kernel/functions.h.
const char* const turn_helper =
    R"(/* Puts the sines of n angles in their place and the cosines behind them; n is a multiple of 4. An angle
   is k pi/2 + r, with pi/2 in three parts so that nothing is lost; then polynomials in r. Large angles are
   left to the library. */
@static void @turns(int n, double* @restrict x)
{
#if defined(__GNUC__) && !defined(__FAST_MATH__)
  typedef double vector __attribute__((vector_size(32)));
  typedef unsigned long long bits __attribute__((vector_size(32)));
  for (int i = 0; i < n; i += 4) {
    vector a;
    __builtin_memcpy(&a, x + i, sizeof a);
    const vector shifted = a * 0.6366197723675814 + 6755399441055744.0;
    const vector k = shifted - 6755399441055744.0;
    const bits quarter = (bits)shifted;
    const vector high = a - k * 1.5707963267341256, low = k * 6.077100506303966e-11;
    const vector r = high - low;
    const vector rest = (high - r - low) - k * 2.0222662487959506e-21;
    const vector z = r * r;
    vector p = z * 1.591810123004639e-10 - 2.5051131455424085e-08;
    p = z * p + 2.7557316100683003e-06;
    p = z * p - 0.00019841269836754969;
    p = z * p + 0.008333333333330946;
    p = z * p - 0.16666666666666666;
    const vector half = 0.5 * z, near_one = 1.0 - half;
    const vector s = r + (r * z * p + rest * near_one);
    p = z * -1.1382614868413877e-11 + 2.087614602468733e-09;
    p = z * p - 2.755731727056031e-07;
    p = z * p + 2.4801587298763433e-05;
    p = z * p - 0.0013888888888887395;
    p = z * p + 0.041666666666666664;
    const vector c = near_one + ((1.0 - near_one - half) + (z * z * p - r * rest));
    const bits odd = -(quarter & 1ull);
    const bits sine = (((bits)c & odd) | ((bits)s & ~odd)) ^ ((quarter & 2ull) << 62);
    const bits cosine = (((bits)s & odd) | ((bits)c & ~odd)) ^ (((quarter + 1ull) & 2ull) << 62);
    __builtin_memcpy(x + i, &sine, sizeof sine);
    __builtin_memcpy(x + n + i, &cosine, sizeof cosine);
    for (int l = 0; l < 4; ++l)
      if (!(fabs(a[l]) <= 1e6)) {
        x[i + l] = sin(a[l]);
        x[n + i + l] = cos(a[l]);
      }
  }
#else
  for (int i = 0; i < n; ++i) {
    const double a = x[i];
    x[i] = sin(a);
    x[n + i] = cos(a);
  }
#endif
}
)";

}  // namespace cartan::codegen
