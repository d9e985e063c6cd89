#include "model/mesh.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

namespace cartan::model {
namespace {

// The bits of three numbers; minus zero is zero.
struct VertexKey {
  std::array<std::uint64_t, 3> bits;

  explicit VertexKey(const Vec3<double>& v) {
    for (int k = 0; k < 3; ++k) {
      const double x = v[k] == 0 ? 0.0 : v[k];
      std::memcpy(&bits[k], &x, sizeof x);
    }
  }
  bool operator==(const VertexKey& other) const { return bits == other.bits; }
};
struct VertexHash {
  std::size_t operator()(const VertexKey& key) const {
    std::uint64_t h = 0;
    for (std::uint64_t part : key.bits) h = (h ^ part) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
    return static_cast<std::size_t>(h);
  }
};

std::string vertex_text(const Vec3<double>& v) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", v.x, v.y, v.z);
}

// Faces along an edge, seen from its lower to its higher vertex and the other way round.
struct EdgeUse {
  int forward = 0, backward = 0;
};

// A surface bounds something where every edge is passed as often one way as the other.
std::string find_open_edge(const Mesh& mesh) {
  std::unordered_map<std::uint64_t, EdgeUse> edges;
  edges.reserve(2 * mesh.triangles.size());
  for (const std::array<int, 3>& triangle : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      const std::uint64_t a = triangle[k], b = triangle[(k + 1) % 3];
      EdgeUse& use = edges[std::min(a, b) << 32 | std::max(a, b)];
      ++(a < b ? use.forward : use.backward);
    }
  std::size_t open = 0, twisted = 0;
  std::uint64_t first_open = ~std::uint64_t{0}, first_twisted = first_open;
  for (const auto& [edge, use] : edges) {
    if (use.forward == use.backward) continue;
    const bool odd = (use.forward + use.backward) % 2 != 0;
    ++(odd ? open : twisted);
    std::uint64_t& first = odd ? first_open : first_twisted;
    first = std::min(first, edge);
  }
  const auto ends = [&](std::uint64_t edge) {
    return vertex_text(mesh.vertices[edge >> 32]) + " and " +
           vertex_text(mesh.vertices[edge & 0xFFFFFFFFu]);
  };
  if (open > 0)
    return fmt::format(
        "its surface is open: {} of its edges have a face on one side only, one of "
        "them between {}",
        open, ends(first_open));
  if (twisted > 0)
    return fmt::format(
        "its faces do not agree on what is outside: {} edges are passed twice the "
        "same way, one of them between {}",
        twisted, ends(first_twisted));
  return "";
}

}  // namespace

Mesh make_mesh(const std::vector<Vec3<double>>& corners) {
  Mesh mesh;
  std::unordered_map<VertexKey, int, VertexHash> known;
  known.reserve(corners.size() / 2);
  for (std::size_t k = 0; k + 2 < corners.size(); k += 3) {
    std::array<int, 3> triangle;
    for (int i = 0; i < 3; ++i) {
      const Vec3<double>& corner = corners[k + i];
      const auto [place, fresh] =
          known.try_emplace(VertexKey(corner), static_cast<int>(mesh.vertices.size()));
      if (fresh) mesh.vertices.push_back(corner);
      triangle[i] = place->second;
    }
    if (triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0])
      mesh.triangles.push_back(triangle);
  }
  return mesh;
}

// Tetrahedra from a point c to each face, signed: with a, b, d the corners seen from c and
// D = a.(b x d), volume D/6, first moment D/24 s, second D/120 (s s^T + a a^T + b b^T + d d^T),
// s = a + b + d.
std::string calc_mesh_solid(const Mesh& mesh, MeshSolid& solid) {
  if (mesh.triangles.empty()) return "it has no faces";
  if (std::string open = find_open_edge(mesh); !open.empty()) return open;
  Vec3<double> low = mesh.vertices[0], high = low;
  for (const Vec3<double>& v : mesh.vertices)
    for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], v[k]), high[k] = std::max(high[k], v[k]);
  const Vec3<double> c = 0.5 * (low + high);
  const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double six_volumes = 0, second[6] = {0, 0, 0, 0, 0, 0};
  Vec3<double> first;
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    const Vec3<double> a = mesh.vertices[triangle[0]] - c, b = mesh.vertices[triangle[1]] - c,
                       d = mesh.vertices[triangle[2]] - c, s = a + b + d;
    const double D = dot(a, cross(b, d));
    six_volumes += D;
    first += D * s;
    for (int k = 0; k < 6; ++k) {
      const int i = row[k], j = column[k];
      second[k] += D * (s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + d[i] * d[j]);
    }
  }
  const double volume = six_volumes / 6, size = norm(high - low);
  if (std::fabs(volume) <= 1e-13 * size * size * size) return "it encloses no volume";
  if (volume < 0) return "its faces point inwards: turn the order of their corners around";
  const Vec3<double> from_c = (1 / (24 * volume)) * first;
  solid.volume = volume;
  solid.center = c + from_c;
  for (int k = 0; k < 6; ++k)
    solid.second[k] = second[k] / 120 - volume * from_c[row[k]] * from_c[column[k]];
  return "";
}

}  // namespace cartan::model
