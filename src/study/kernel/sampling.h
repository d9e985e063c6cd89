// Which numbers run i has, as code for CPU and GPU alike: counter-based random numbers, Sobol's
// points, quantiles, grids and tables (study/design.h says what they are). Made of operations that
// IEEE 754 prescribes, compiled without fusing: the same bits everywhere.
//
// This text stands inside a namespace of Cartan, and as it is in kernels.
#pragma once

#if defined(__CUDACC__)
#define SAMPLE_FUNCTION static __device__ inline
#else
#define SAMPLE_FUNCTION inline
#endif

typedef unsigned long long SampleBits;

// ------------------------------------------------------------------------------------------ random

// Philox4x32-10, a block cipher with few rounds used as a counter-based generator (Salmon, Moraes,
// Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011). The counter becomes the
// result.
SAMPLE_FUNCTION void sample_philox(unsigned* c, unsigned k0, unsigned k1) {
  for (int round = 0; round < 10; ++round) {
    const SampleBits a = (SampleBits)0xD2511F53u * c[0], b = (SampleBits)0xCD9E8D57u * c[2];
    c[0] = (unsigned)(b >> 32) ^ c[1] ^ k0;
    c[2] = (unsigned)(a >> 32) ^ c[3] ^ k1;
    c[1] = (unsigned)b;
    c[3] = (unsigned)a;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

// 64 bits that belong to (seed, use, dimension, index).
SAMPLE_FUNCTION SampleBits sample_random(SampleBits seed, unsigned use, unsigned dimension,
                                         SampleBits index) {
  unsigned c[4] = {(unsigned)index, (unsigned)(index >> 32), dimension, use};
  sample_philox(c, (unsigned)seed, (unsigned)(seed >> 32));
  return c[0] | (SampleBits)c[1] << 32;
}

// What a stream is for, as RandomUse.
enum { sample_plain_use = 0, sample_scramble_use = 1, sample_order_use = 2, sample_jitter_use = 3 };

// A number of (0, 1): the middle of one of 2^52 equal cells.
SAMPLE_FUNCTION double sample_to_unit(SampleBits bits) {
  return ((double)(long long)(bits >> 12) + 0.5) * 0x1p-52;
}

// splitmix64 (Steele, Lea, Flood 2014)
SAMPLE_FUNCTION SampleBits sample_mix(SampleBits x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

SAMPLE_FUNCTION SampleBits sample_reverse(SampleBits x) {
  x = (x >> 1 & 0x5555555555555555ull) | (x & 0x5555555555555555ull) << 1;
  x = (x >> 2 & 0x3333333333333333ull) | (x & 0x3333333333333333ull) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0full) | (x & 0x0f0f0f0f0f0f0f0full) << 4;
  x = (x >> 8 & 0x00ff00ff00ff00ffull) | (x & 0x00ff00ff00ff00ffull) << 8;
  x = (x >> 16 & 0x0000ffff0000ffffull) | (x & 0x0000ffff0000ffffull) << 16;
  return x >> 32 | x << 32;
}

// Owen's scrambling of a binary fraction (study/sobol_points.h).
SAMPLE_FUNCTION SampleBits sample_scramble(SampleBits fraction, SampleBits seed) {
  SampleBits x = sample_reverse(fraction), key = seed;
  for (int round = 0; round < 3; ++round) {
    key = sample_mix(key);
    x += key;
    x ^= x * (sample_mix(key ^ 0x5851f42d4c957f2dull) & ~(SampleBits)1);
    x *= key | 1;
  }
  return sample_reverse(x);
}

// Coordinate of Sobol's point `index`, whose 32 direction numbers are given.
SAMPLE_FUNCTION SampleBits sample_sobol(SampleBits index, const SampleBits* directions) {
  SampleBits x = 0;
  for (int digit = 0; index; ++digit, index >>= 1)
    if (index & 1) x ^= directions[digit];
  return x;
}

// The place of `index` in a random order of 0 .. count - 1 (study/sampler.h).
SAMPLE_FUNCTION SampleBits sample_place(SampleBits index, SampleBits count, SampleBits seed,
                                        unsigned dimension) {
  int half = 1;  // binary digits of each half
  while (half < 31 && (SampleBits)1 << (2 * half) < count) ++half;
  const SampleBits mask = ((SampleBits)1 << half) - 1;
  do {
    SampleBits left = index >> half, right = index & mask;
    for (SampleBits round = 0; round < 6; ++round) {
      const SampleBits word = right | round << 40;
      const SampleBits turned =
          left ^ (sample_random(seed, sample_order_use, dimension, word) & mask);
      left = right;
      right = turned;
    }
    index = left << half | right;
  } while (index >= count);
  return index;
}

// --------------------------------------------------------------------------------------- functions

// x = 2^e m with m near 1; log m = 2 artanh s, s = (m - 1) / (m + 1), |s| < 0.172.
SAMPLE_FUNCTION double sample_log(double x) {
  int e = 0;
  double m = frexp(x, &e);
  if (m < 0.70710678118654752) {
    m *= 2;
    --e;
  }
  const double s = (m - 1) / (m + 1), w = s * s;
  double series = 0;
  for (int k = 23; k >= 3; k -= 2) series = (series + 1.0 / k) * w;
  return e * 0x1.62e42fee00000p-1 + (2 * s + (2 * s * series + e * 0x1.a39ef35793c76p-33));
}

// x = k log 2 + r, |r| < 0.35; exp r by its series.
SAMPLE_FUNCTION double sample_exp(double x) {
  if (x > 709.782712893384) return 1e308 * 10;
  if (x < -745.2) return 0;
  const double k = floor(x * 1.4426950408889634 + 0.5);
  const double r = (x - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
  double sum = 0;
  for (int n = 15; n >= 2; --n) sum = (sum + 1) * (r / n);
  return ldexp(1 + (r + r * sum), (int)k);
}

SAMPLE_FUNCTION double sample_ratio(const double* a, const double* b, double x) {
  double above = 0, below = 0;
  for (int i = 7; i >= 0; --i) {
    above = above * x + a[i];
    below = below * x + b[i];
  }
  return above / below;
}

// Wichura's algorithm AS 241, PPND16.
SAMPLE_FUNCTION double sample_normal(double p) {
  const double a[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                      1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                      3.3430575583588128105e4, 2.5090809287301226727e3};
  const double b[] = {1.0,
                      4.2313330701600911252e1,
                      6.8718700749205790830e2,
                      5.3941960214247511077e3,
                      2.1213794301586595867e4,
                      3.9307895800092710610e4,
                      2.8729085735721942674e4,
                      5.2264952788528545610e3};
  const double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                      5.76949722146069140550e0,  3.64784832476320460504e0,
                      1.27045825245236838258e0,  2.41780725177450611770e-1,
                      2.27238449892691845833e-2, 7.74545014278341407640e-4};
  const double d[] = {1.0,
                      2.05319162663775882187e0,
                      1.67638483018380384940e0,
                      6.89767334985100004550e-1,
                      1.48103976427480074590e-1,
                      1.51986665636164571966e-2,
                      5.47593808499534494600e-4,
                      1.05075007164441684324e-9};
  const double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                      1.78482653991729133580e0,  2.96560571828504891230e-1,
                      2.65321895265761230930e-2, 1.24266094738807843860e-3,
                      2.71155556874348757815e-5, 2.01033439929228813265e-7};
  const double f[] = {1.0,
                      5.99832206555887937690e-1,
                      1.36929880922735805310e-1,
                      1.48753612908506148525e-2,
                      7.86869131145613259100e-4,
                      1.84631831751005468180e-5,
                      1.42151175831644588870e-7,
                      2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    double above = 0, below = 0;
    for (int i = 7; i >= 0; --i) {
      above = above * r + a[i];
      below = below * r + b[i];
    }
    return q * above / below;
  }
  const double r = sqrt(-sample_log(q < 0 ? p : 1 - p));
  const double size = r <= 5 ? sample_ratio(c, d, r - 1.6) : sample_ratio(e, f, r - 5);
  return q < 0 ? -size : size;
}

// ------------------------------------------------------------------------------------------ design

// Kinds as Distribution::Kind.
enum {
  sample_uniform,
  sample_normal_law,
  sample_lognormal,
  sample_triangular,
  sample_values,
  sample_table,
  sample_lin,
  sample_log_grid,
  sample_list
};

// Below which number the law lies with probability p.
SAMPLE_FUNCTION double sample_quantile(int kind, const double* n, SampleBits count, double p) {
  switch (kind) {
    case sample_uniform:
      return n[0] + p * (n[1] - n[0]);
    case sample_normal_law:
      return n[0] + n[1] * sample_normal(p);
    case sample_lognormal:
      return sample_exp(n[0] + n[1] * sample_normal(p));
    case sample_triangular: {
      // Density rises linearly from low to the mode and falls to high.
      const double width = n[2] - n[0], rising = n[1] - n[0], falling = n[2] - n[1];
      if (p * width <= rising) return n[0] + sqrt(p * width * rising);
      return n[2] - sqrt((1 - p) * width * falling);
    }
    default: {
      const SampleBits place = (SampleBits)(p * (double)count);
      return n[place < count ? place : count - 1];
    }
  }
}

// Grids and tables: the value at a place.
SAMPLE_FUNCTION double sample_value(int kind, const double* n, SampleBits count, SampleBits place) {
  if (kind != sample_lin && kind != sample_log_grid) return n[place];
  if (place == 0) return n[0];
  if (place == count - 1) return n[1];
  const double s = (double)place / (double)(count - 1);
  if (kind == sample_lin) return n[0] + s * (n[1] - n[0]);
  return n[0] * sample_exp(s * sample_log(n[1] / n[0]));
}

struct SampleInput {
  int kind;
  int dimension;      // of the sampler; -1: not sampled
  SampleBits first;   // of its numbers
  SampleBits count;   // of numbers, or of places in a grid
  SampleBits stride;  // of a grid
};

struct SampleDesign {
  const SampleInput* inputs;
  const double* numbers;
  const SampleBits* directions;  // 32 per dimension
  SampleBits samples, seed;
  SampleBits points;  // of a latin hypercube
  int sampled;        // how many inputs are
  int indices;        // a Saltelli design
  int sampling;       // 0 sobol, 1 latin hypercube, 2 random
};

SAMPLE_FUNCTION double sample_unit(const SampleDesign& design, int dimension, SampleBits index) {
  const unsigned d = (unsigned)dimension;
  if (design.sampling == 0) {
    const SampleBits own = sample_random(design.seed, sample_scramble_use, d, 0);
    return sample_to_unit(sample_scramble(sample_sobol(index, design.directions + 32 * d), own));
  }
  if (design.sampling == 2)
    return sample_to_unit(sample_random(design.seed, sample_plain_use, d, index));
  const double within = sample_to_unit(sample_random(design.seed, sample_jitter_use, d, index));
  const double place = (double)sample_place(index, design.points, design.seed, d) + within;
  const double unit = place / (double)design.points;
  return unit < 1 - 0x1p-53 ? unit : 1 - 0x1p-53;  // rounding reaches 1
}

// Input k of a run.
SAMPLE_FUNCTION double sample_input(const SampleDesign& design, int k, SampleBits run) {
  const SampleInput& input = design.inputs[k];
  const double* const numbers = design.numbers + input.first;
  const SampleBits sample = run % design.samples;
  if (input.kind == sample_table) return numbers[sample];
  if (input.kind > sample_table)
    return sample_value(input.kind, numbers, input.count,
                        run / design.samples / input.stride % input.count);
  SampleBits point = sample;
  int matrix = 0;  // 0: A, 1: B, 2 + k: A with column k of B
  if (design.indices) {
    const SampleBits per = (SampleBits)design.sampled + 2;
    point = sample / per;
    matrix = (int)(sample % per);
  }
  const bool from_b = matrix == 1 || matrix == 2 + input.dimension;
  const double p = sample_unit(design, input.dimension + (from_b ? design.sampled : 0), point);
  return sample_quantile(input.kind, numbers, input.count, p);
}
