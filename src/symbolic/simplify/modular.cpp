#include "symbolic/simplify/modular.h"

#include <initializer_list>

namespace cartan::symbolic {
namespace {

// Whether the odd prime q is a square modulo the prime p = 3 (mod 4), by quadratic reciprocity.
bool is_square_modulo(Residue q, Residue p) {
  bool p_is_square = false;
  for (Residue x = 1; x < q; ++x) p_is_square = p_is_square || x * x % q == p % q;
  return p % q != 0 && p_is_square == (q % 4 == 1);
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
    bool good = true;  // 2 is a square because p = 7 (mod 8)
    for (const Residue q : {3, 5, 7, 11, 13}) good = good && p % q != 1 && is_square_modulo(q, p);
    if (good && is_prime(p)) return p;
  }
}

}  // namespace cartan::symbolic
