// Arithmetic modulo a prime of 61 bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/folders.h"

namespace cartan::symbolic {

using Residue = std::uint64_t;

inline Residue mix_bits(Residue x) {  // splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Z / n for n below 2^62; a field when n is prime.
class Modulus {
 public:
  explicit Modulus(Residue n) : n_(n) {}
  Residue size() const { return n_; }

  Residue add(Residue x, Residue y) const {
    const Residue sum = x + y;
    return sum >= n_ ? sum - n_ : sum;
  }
  Residue negate(Residue x) const { return x ? n_ - x : 0; }
  Residue subtract(Residue x, Residue y) const { return add(x, negate(y)); }
  Residue multiply(Residue x, Residue y) const {
    return static_cast<Residue>(static_cast<unsigned __int128>(x) * y % n_);
  }
  Residue power(Residue x, Residue exponent) const {
    Residue result = 1;
    for (; exponent; exponent >>= 1, x = multiply(x, x))
      if (exponent & 1) result = multiply(result, x);
    return result;
  }
  // 1 / x of an x that is prime to n; 0 of 0.
  Residue inverse(Residue x) const {
    // extended Euclid: r = s x (mod n) throughout
    __int128 r = x, s = 1, r_next = n_, s_next = 0;
    while (r_next != 0) {
      const __int128 q = r / r_next;
      const __int128 r2 = r - q * r_next, s2 = s - q * s_next;
      r = r_next, s = s_next, r_next = r2, s_next = s2;
    }
    if (r != 1) return 0;
    return static_cast<Residue>(s < 0 ? s + n_ : s);
  }
  // A finite double is m 2^e: exactly that, for an odd n.
  Residue of_double(double x) const {
    int e = 0;
    const double fraction = std::frexp(std::fabs(x), &e);
    Residue m = static_cast<Residue>(std::ldexp(fraction, 53)) % n_;
    e -= 53;
    const Residue two = e < 0 ? (n_ + 1) / 2 : 2;
    m = multiply(m, power(two, static_cast<Residue>(std::abs(e))));
    return x < 0 ? negate(m) : m;
  }

 private:
  Residue n_;
};

// A prime p = 7 (mod 16) near 2^61 for which 2, 3, 5, 7, 11 and 13 are squares and p - 1 has none
// of them as factor but one 2; other seeds give others.
Residue random_prime(Residue seed);

}  // namespace cartan::symbolic
