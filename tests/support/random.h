// Seeded random numbers that are the same on every machine and with every standard library.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/vec3.h"
#include "lie/quaternion.h"

namespace cartan::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 0x1234567) {}

  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53);
  }
  int integer(int low, int high) {  // both included
    return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(double probability) { return uniform(0, 1) < probability; }
  // Of either sign, its size between low and high.
  double away_from_zero(double low, double high) {
    const double size = uniform(low, high);
    return chance(0.5) ? size : -size;
  }
  Vec3<double> vector(double size) {
    const double x = uniform(-size, size), y = uniform(-size, size), z = uniform(-size, size);
    return {x, y, z};
  }
  Vec3<double> direction() {
    for (;;) {
      const Vec3<double> a = vector(1);
      const double length = norm(a);
      if (length > 0.2 && length < 1) return (1 / length) * a;
    }
  }
  Quat<double> rotation() { return exp_quat(uniform(0.05, 3.0) * direction()); }

  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[integer(0, static_cast<int>(list.size()) - 1)];
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (int i = static_cast<int>(list.size()) - 1; i > 0; --i)
      std::swap(list[i], list[integer(0, i)]);
  }

  // Another sequence; this one stays where it is.
  Random aside() const {
    Random copy = *this;
    return Random(copy.next());
  }

 private:
  std::uint64_t state_;
};

}  // namespace cartan::test
