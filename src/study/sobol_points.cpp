#include "study/sobol_points.h"

#include "study/counter_random.h"

namespace cartan::study {
namespace {

// The choice of initial numbers of every dimension but the first: see initial_number.
constexpr unsigned char initial_choice[SobolPoints::most_dimensions - 1] = {
    0,   0,   2,   0,   58,  12,  20,  48,  89,  103, 134, 93,  219, 68,  19,  220, 118, 6,   166,
    37,  134, 60,  150, 39,  30,  181, 199, 208, 11,  207, 111, 192, 161, 58,  125, 179, 55,  240,
    28,  113, 235, 76,  219, 255, 114, 238, 224, 47,  77,  110, 22,  104, 91,  229, 250, 193, 66,
    165, 23,  139, 124, 45,  213, 79,  181, 243, 41,  100, 189, 175, 194, 63,  17,  178, 122, 120,
    254, 155, 89,  191, 61,  214, 163, 39,  134, 8,   163, 32,  35,  26,  145, 111, 159, 254, 44,
    80,  157, 118, 109, 149, 7,   219, 238, 242, 128, 250, 176, 32,  174, 213, 92,  178, 206, 142,
    183, 70,  162, 190, 156, 12,  240, 104, 157, 58,  117, 242, 158, 5,   227, 97,  125, 161, 66,
    143, 245, 158, 160, 96,  225, 82,  111, 25,  236, 140, 63,  125, 32,  78,  60,  155, 225, 78,
    89,  71,  206, 192, 156, 212, 240, 223, 33,  84,  214, 20,  68,  145, 57,  209, 9,   151, 246,
    203, 57,  149, 220, 221, 52,  45,  122, 66,  53,  166, 188, 92,  250, 210, 111, 142, 2,   212,
    149, 26,  77,  168, 118, 63,  206, 138, 149, 192, 59,  213, 229, 219, 31,  211, 117, 222, 100,
    176, 187, 168, 217, 189, 70,  181, 88,  14,  248, 31,  39,  190, 224, 209, 149, 33,  112, 112,
    137, 230, 55,  20,  119, 211, 116, 152, 131, 103, 87,  211, 54,  220, 46,  250, 98,  253, 12,
    218, 15,  112, 58,  130, 67,  243, 181, 197, 151, 155, 231, 218, 117, 155, 30,  108, 89,  123,
    182, 10,  58,  4,   176, 214, 11,  250, 98,  2,   158, 151, 93,  174, 186, 192, 218, 26,  226,
    110, 55,  58,  19,  185, 222, 32,  45,  84,  61,  75,  92,  66,  114, 232, 54,  218, 249, 117,
    74,  244, 248, 33,  82,  246, 133, 88,  196, 200, 225, 153, 207, 76,  88,  205, 199, 195, 43,
    135, 3,   29,  161, 185, 47,  225, 249, 61,  11,  247, 132, 206, 76,  115, 78,  12,  221, 12,
    71,  15,  113, 40,  210, 225, 139, 150, 63,  212, 221, 84,  163, 121, 202, 45,  45,  185, 117,
    95,  81,  192, 199, 131, 116, 55,  208, 235, 127, 168, 150, 135, 200, 15,  122, 2,   96,  34,
    137, 90,  91,  52,  23,  81,  180, 191, 114, 118, 24,  50,  114, 232, 136, 71,  84,  207, 136,
    28,  235, 88,  155, 154, 161, 25,  229, 91,  169, 8,   208, 31,  251, 74,  157, 208, 87,  252,
    156, 9,   129, 226, 38,  160, 134, 250, 226, 241, 226, 214, 133, 157, 19,  146, 140, 249, 143,
    54,  132, 102, 215, 144, 209, 68,  245, 11,  104, 58,  75,  167, 174, 188, 39,  83,  249, 160,
    48,  141, 136, 229, 201, 178, 89,  23,  152, 117, 158, 179, 129, 137, 110, 40,  170, 217, 140,
    194, 109, 62,  67,  194, 227, 87,  243, 63,  210, 218, 8,   43,  156, 145, 84,  225, 198, 104,
    6,   25,  90,  75,  4,   239, 192, 181, 114, 229, 161, 40,  164, 171, 33,  227, 154};

// Polynomials over GF(2) as binary numbers: bit k is the coefficient of x^k.
unsigned multiply(unsigned a, unsigned b, unsigned modulus, int degree) {
  unsigned product = 0;
  for (; b; b >>= 1) {
    if (b & 1) product ^= a;
    a <<= 1;
    if (a >> degree & 1) a ^= modulus;
  }
  return product;
}

unsigned power_of_x(unsigned exponent, unsigned modulus, int degree) {
  unsigned result = 1, square = 2;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1) result = multiply(result, square, modulus, degree);
    square = multiply(square, square, modulus, degree);
  }
  return result;
}

// The powers of x run through all 2^degree - 1 residues: x^n = 1 first for n = 2^degree - 1.
bool is_primitive(unsigned polynomial, int degree) {
  if (degree == 1) return polynomial == 3;
  const unsigned order = (1u << degree) - 1;
  if (power_of_x(order, polynomial, degree) != 1) return false;
  unsigned rest = order;
  for (unsigned factor = 2; rest > 1; ++factor) {
    if (factor * factor > rest) factor = rest;
    if (rest % factor != 0) continue;
    while (rest % factor == 0) rest /= factor;
    if (factor != order && power_of_x(order / factor, polynomial, degree) == 1) return false;
  }
  return true;
}

// The odd number m_i < 2^i, i = 1 .. degree, of a dimension.
std::uint64_t initial_number(int dimension, int i) {
  if (i == 1) return 1;
  const std::uint64_t name = std::uint64_t(dimension) << 32 |
                             std::uint64_t{initial_choice[dimension - 1]} << 8 | std::uint64_t(i);
  return sampling::sample_mix(name) >> (65 - i) << 1 | 1;
}

// m_i = m_(i-s) xor 2^s m_(i-s) xor sum of 2^k a_k m_(i-k), the a_k those of the polynomial
// x^s + a_1 x^(s-1) + .. + 1; V_i = m_i / 2^i.
void fill_directions(int dimension, unsigned polynomial, int degree,
                     sampling::SampleBits* directions) {
  std::uint64_t m[SobolPoints::digits + 1];
  for (int i = 1; i <= SobolPoints::digits; ++i) {
    if (i <= degree) {
      m[i] = initial_number(dimension, i);
    } else {
      m[i] = m[i - degree] ^ m[i - degree] << degree;
      for (int k = 1; k < degree; ++k)
        if (polynomial >> (degree - k) & 1) m[i] ^= m[i - k] << k;
    }
    directions[i - 1] = m[i] << (64 - i);
  }
}

}  // namespace

SobolPoints::SobolPoints(int dimensions)
    : directions_(static_cast<std::size_t>(dimensions) * digits) {
  if (dimensions == 0) return;
  for (int c = 0; c < digits; ++c) directions_[c] = std::uint64_t{1} << (63 - c);
  int dimension = 1;
  for (int degree = 1; dimension < dimensions; ++degree)
    for (unsigned inner = 0; inner < 1u << (degree - 1) && dimension < dimensions; ++inner) {
      const unsigned polynomial = 1u << degree | inner << 1 | 1;
      if (!is_primitive(polynomial, degree)) continue;
      fill_directions(dimension, polynomial, degree,
                      &directions_[static_cast<std::size_t>(dimension) * digits]);
      ++dimension;
    }
}

std::uint64_t SobolPoints::plain(std::uint64_t index, int dimension) const {
  return sampling::sample_sobol(index,
                                directions_.data() + static_cast<std::size_t>(dimension) * digits);
}

std::uint64_t scramble_digits(std::uint64_t fraction, std::uint64_t seed) {
  return sampling::sample_scramble(fraction, seed);
}

std::uint64_t SobolPoints::scrambled(std::uint64_t index, int dimension, std::uint64_t seed) const {
  const std::uint64_t own =
      random_bits(seed, RandomUse::scramble, static_cast<std::uint32_t>(dimension), 0);
  return scramble_digits(plain(index, dimension), own);
}

}  // namespace cartan::study
