#include "symbolic/modular.h"

#include <initializer_list>

namespace cartan {
namespace {

bool is_square(Residue x, const Modulus& field) {
  return field.power(x, (field.size() - 1) / 2) == 1;
}

// Miller and Rabin's test; for n = 3 (mod 4) one step, for these bases certain below 2^64.
bool is_prime(Residue n) {
  const Modulus ring(n);
  for (const Residue base : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) {
    const Residue x = ring.power(base, (n - 1) / 2);
    if (x != 1 && x != n - 1) return false;
  }
  return true;
}

}  // namespace

Residue random_prime(Residue seed) {
  const Residue least = Residue(1) << 60;
  Residue p = least + mix_bits(seed) % least;
  p += (7 + 16 - p % 16) % 16;
  for (;; p += 16) {
    if (p % 3 == 0 || p % 5 == 0 || p % 7 == 0 || !is_prime(p)) continue;
    const Modulus field(p);
    bool good = true;
    for (const Residue x : {2, 3, 5, 7, 11, 13}) good = good && is_square(x, field);
    if (good) return p;
  }
}

}  // namespace cartan
