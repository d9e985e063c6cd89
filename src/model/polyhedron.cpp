#include "model/polyhedron.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "model/convex_hull.h"

namespace cartan::model {
namespace {

constexpr double flat = 1e-7, dented = 1e-6;  // of the extent
constexpr double most_compared = 1e9;         // triangles times faces

double extent_of(const std::vector<Vec3<double>>& points) {
  Vec3<double> low = points[0], high = low;
  for (const Vec3<double>& p : points)
    for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
  return norm(high - low);
}

// Triangles of a hull put together to plane faces.
class FaceJoiner {
 public:
  explicit FaceJoiner(const Mesh& hull) : hull_(hull), face_of_(hull.triangles.size(), -1) {
    for (std::size_t t = 0; t < hull.triangles.size(); ++t)
      for (int k = 0; k < 3; ++k) triangle_at_[edge_key(t, k)] = static_cast<int>(t);
  }

  // False: the triangles do not close.
  bool join(Polyhedron& made) {
    spread();
    made.corners = hull_.vertices;
    for (int face = 0; face < faces_; ++face)
      if (!add_loop(face, made)) return false;
    return add_edges(made);
  }

 private:
  std::uint64_t key_of(int from, int to) const {
    return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
  }
  std::uint64_t edge_key(std::size_t t, int k) const {
    return key_of(hull_.triangles[t][k], hull_.triangles[t][(k + 1) % 3]);
  }
  int across(std::size_t t, int k) const {
    const auto& c = hull_.triangles[t];
    const auto found = triangle_at_.find(key_of(c[(k + 1) % 3], c[k]));
    return found == triangle_at_.end() ? -1 : found->second;
  }
  Vec3<double> area_of(std::size_t t) const {
    const auto& c = hull_.triangles[t];
    const Vec3<double>& a = hull_.vertices[c[0]];
    return cross(hull_.vertices[c[1]] - a, hull_.vertices[c[2]] - a);
  }

  // From the largest triangles on: what is next to them and in their plane.
  void spread() {
    std::vector<std::size_t> order(hull_.triangles.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<double> area;
    for (std::size_t t : order) area.push_back(norm(area_of(t)));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return area[a] > area[b]; });
    const double thick = flat * extent_of(hull_.vertices);
    for (const std::size_t seed : order) {
      if (face_of_[seed] >= 0) continue;
      const Vec3<double> n = (1 / std::max(area[seed], 1e-300)) * area_of(seed);
      const double level = dot(n, hull_.vertices[hull_.triangles[seed][0]]);
      const auto lies_in = [&](std::size_t t) {
        return std::all_of(hull_.triangles[t].begin(), hull_.triangles[t].end(), [&](int c) {
          return std::fabs(dot(n, hull_.vertices[c]) - level) <= thick;
        });
      };
      face_of_[seed] = faces_;
      std::vector<std::size_t> reached{seed};
      while (!reached.empty()) {
        const std::size_t t = reached.back();
        reached.pop_back();
        for (int k = 0; k < 3; ++k) {
          const int next = across(t, k);
          if (next < 0 || face_of_[next] >= 0 || !lies_in(static_cast<std::size_t>(next))) continue;
          face_of_[next] = faces_;
          reached.push_back(static_cast<std::size_t>(next));
        }
      }
      ++faces_;
    }
    outline_.resize(faces_);
    for (std::size_t t = 0; t < hull_.triangles.size(); ++t)
      for (int k = 0; k < 3; ++k)
        if (const int next = across(t, k); next < 0 || face_of_[next] != face_of_[t])
          outline_[face_of_[t]].push_back(
              {hull_.triangles[t][k], hull_.triangles[t][(k + 1) % 3], next});
  }

  // The edges around a face in their order; corners between two edges to one and the same face are
  // none. False: they make no single loop.
  bool add_loop(int face, Polyhedron& made) const {
    const std::vector<Rim>& rims = outline_[face];
    std::unordered_map<int, const Rim*> from;
    for (const Rim& rim : rims)
      if (rim.next < 0 || !from.emplace(rim.from, &rim).second) return false;
    std::vector<const Rim*> chain;
    for (const Rim* rim = &rims.front(); chain.size() < rims.size();) {
      chain.push_back(rim);
      const auto found = from.find(rim->to);
      if (found == from.end()) return false;
      rim = found->second;
      if (rim == chain.front()) break;
    }
    if (chain.size() != rims.size()) return false;
    Polyhedron::Face added;
    added.first = static_cast<int>(made.loop.size());
    for (std::size_t k = 0; k < chain.size(); ++k) {
      const Rim* before = chain[(k + chain.size() - 1) % chain.size()];
      if (face_of_[before->next] != face_of_[chain[k]->next]) made.loop.push_back(chain[k]->from);
    }
    added.size = static_cast<int>(made.loop.size()) - added.first;
    made.faces.push_back(added);
    return added.size >= 3;
  }

  // Each edge of a loop is passed once the other way; Euler: C - E + F = 2.
  bool add_edges(Polyhedron& made) const {
    std::unordered_map<std::uint64_t, int> left;
    for (std::size_t f = 0; f < made.faces.size(); ++f)
      for (int k = 0; k < made.faces[f].size; ++k)
        if (!left.emplace(passed(made, f, k), static_cast<int>(f)).second) return false;
    for (std::size_t f = 0; f < made.faces.size(); ++f)
      for (int k = 0; k < made.faces[f].size; ++k) {
        const std::uint64_t key = passed(made, f, k);
        const int a = static_cast<int>(key >> 32), b = static_cast<int>(key & 0xFFFFFFFFu);
        const auto right = left.find(key_of(b, a));
        if (right == left.end()) return false;
        if (a < b) made.edges.push_back({a, b, static_cast<int>(f), right->second});
      }
    return drop_unused(made) - static_cast<int>(made.edges.size()) +
               static_cast<int>(made.faces.size()) ==
           2;
  }
  std::uint64_t passed(const Polyhedron& made, std::size_t f, int k) const {
    const Polyhedron::Face& face = made.faces[f];
    return key_of(made.loop[face.first + k], made.loop[face.first + (k + 1) % face.size]);
  }

  // Corners that no edge has any more go; how many are left.
  static int drop_unused(Polyhedron& made) {
    std::vector<int> place(made.corners.size(), -1);
    for (const int c : made.loop) place[c] = 0;
    int count = 0;
    for (std::size_t c = 0; c < place.size(); ++c) {
      if (place[c] < 0) continue;
      made.corners[count] = made.corners[c];
      place[c] = count++;
    }
    made.corners.resize(count);
    for (int& c : made.loop) c = place[c];
    for (Polyhedron::Edge& edge : made.edges)
      edge.from = place[edge.from], edge.to = place[edge.to];
    return count;
  }

  struct Rim {
    int from, to, next;  // corners; the triangle on the other side
  };
  const Mesh& hull_;
  std::vector<int> face_of_;
  std::unordered_map<std::uint64_t, int> triangle_at_;  // left of an edge
  std::vector<std::vector<Rim>> outline_;               // of every face
  int faces_ = 0;
};

// Of tetrahedra from a corner to triangles of the faces, each with its volume.
Vec3<double> middle_of_volume(const Polyhedron& p) {
  const Vec3<double>& o = p.corners[0];
  Vec3<double> sum;
  double volume = 0;
  for (const Polyhedron::Face& face : p.faces)
    for (int k = 1; k + 1 < face.size; ++k) {
      const Vec3<double> a = p.corner_of(face, 0) - o, b = p.corner_of(face, k) - o,
                         c = p.corner_of(face, k + 1) - o;
      const double each = dot(a, cross(b, c));
      volume += each;
      sum += (0.25 * each) * (a + b + c);
    }
  return o + (1 / volume) * sum;
}

// Normals by Newell's sum over the corners; levels so that nothing of the face lies outside.
void measure(Polyhedron& p) {
  for (Polyhedron::Face& face : p.faces) {
    const Vec3<double>& base = p.corner_of(face, 0);
    Vec3<double> area;
    for (int k = 1; k + 1 < face.size; ++k)
      area += cross(p.corner_of(face, k) - base, p.corner_of(face, k + 1) - base);
    face.normal = (1 / norm(area)) * area;
    face.level = -1e300;
    for (int k = 0; k < face.size; ++k)
      face.level = std::max(face.level, dot(face.normal, p.corner_of(face, k)));
  }
  p.middle = middle_of_volume(p);
  p.reach = 0;
  for (const Vec3<double>& c : p.corners) p.reach = std::max(p.reach, norm(c - p.middle));
  p.inner = 1e300;
  for (const Polyhedron::Face& face : p.faces)
    p.inner = std::min(p.inner, face.level - dot(face.normal, p.middle));
}

void list_edges_at_corners(Polyhedron& p) {
  p.first_at.assign(p.corners.size() + 1, 0);
  for (const Polyhedron::Edge& edge : p.edges)
    ++p.first_at[edge.from + 1], ++p.first_at[edge.to + 1];
  std::partial_sum(p.first_at.begin(), p.first_at.end(), p.first_at.begin());
  p.at_corner.resize(2 * p.edges.size());
  std::vector<int> next(p.first_at.begin(), p.first_at.end() - 1);
  for (std::size_t e = 0; e < p.edges.size(); ++e) {
    p.at_corner[next[p.edges[e].from]++] = static_cast<int>(e);
    p.at_corner[next[p.edges[e].to]++] = static_cast<int>(e);
  }
}

bool bounds_all_corners(const Polyhedron& p) {
  const double slack = 4 * flat * p.reach;
  if (!(p.inner > slack)) return false;
  for (const Polyhedron::Face& face : p.faces)
    for (const Vec3<double>& c : p.corners)
      if (dot(face.normal, c) > face.level + slack) return false;
  return true;
}

double height_below(const Polyhedron& p, const Vec3<double>& x) {
  double depth = 1e300;
  for (const Polyhedron::Face& face : p.faces)
    depth = std::min(depth, face.level - dot(face.normal, x));
  return depth;
}

double area_of_faces(const Polyhedron& p) {
  double area = 0;
  for (const Polyhedron::Face& face : p.faces)
    for (int k = 1; k + 1 < face.size; ++k)
      area += 0.5 * norm(cross(p.corner_of(face, k) - p.corner_of(face, 0),
                               p.corner_of(face, k + 1) - p.corner_of(face, 0)));
  return area;
}

}  // namespace

// Where rounding of the file tears a hull to exact points apart, a coarser one is taken.
Polyhedron make_polyhedron(const std::vector<Vec3<double>>& points, std::string& problem) {
  problem.clear();
  for (const double within : {1e-12, 1e-10, 1e-8, flat}) {
    constexpr std::size_t most_triangles = 4 * std::size_t{most_corners};
    const Mesh hull = convex_hull(points, within, most_triangles);
    if (hull.triangles.empty()) break;
    Polyhedron made;
    const bool whole = hull.triangles.size() <= most_triangles;
    if (whole && !FaceJoiner(hull).join(made)) continue;
    if (!whole || made.corners.size() > most_corners) {
      problem = fmt::format("its hull has more than {} corners; simplify it", most_corners);
      continue;
    }
    measure(made);
    list_edges_at_corners(made);
    if (!bounds_all_corners(made)) continue;
    problem.clear();
    return made;
  }
  if (problem.empty())
    problem = "all its points lie in one plane, or so near to it that it has no inside";
  return {};
}

Polyhedron moved_polyhedron(const Polyhedron& from, const Vec3<double>& scale,
                            const Vec3<double>& by) {
  Polyhedron moved = from;
  for (Vec3<double>& c : moved.corners)
    c = {scale.x * c.x + by.x, scale.y * c.y + by.y, scale.z * c.z + by.z};
  if (scale.x * scale.y * scale.z < 0) {  // a mirror image: loops go the other way round
    for (const Polyhedron::Face& face : moved.faces)
      std::reverse(moved.loop.begin() + face.first, moved.loop.begin() + face.first + face.size);
    for (Polyhedron::Edge& edge : moved.edges) std::swap(edge.left, edge.right);
  }
  measure(moved);
  return moved;
}

// A triangle lies in a face of the hull where its corners and its middle lie on the surface.
std::string explain_not_convex(const Mesh& mesh, const Polyhedron& hull) {
  if (static_cast<double>(mesh.triangles.size()) * static_cast<double>(hull.faces.size()) >
      most_compared)
    return fmt::format("its {} triangles are too many to be compared with its hull",
                       mesh.triangles.size());
  double deepest = 0, area = 0;
  Vec3<double> where;
  const auto look = [&](const Vec3<double>& x) {
    const double depth = height_below(hull, x);
    if (depth > deepest) deepest = depth, where = x;
  };
  for (const Vec3<double>& v : mesh.vertices) look(v);
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3<double>&a = mesh.vertices[i], &b = mesh.vertices[j], &c = mesh.vertices[k];
    look((1.0 / 3) * (a + b + c));
    area += 0.5 * norm(cross(b - a, c - a));
  }
  if (deepest > dented * hull.reach)
    return fmt::format("at ({:.4g}, {:.4g}, {:.4g}) its surface lies {:.3g} inside its hull",
                       where.x, where.y, where.z, deepest);
  const double whole = area_of_faces(hull);
  if (area < (1 - 10 * dented) * whole)
    return fmt::format("its surface is open: {:.3g} % of its hull is missing",
                       100 * (1 - area / whole));
  return "";
}

}  // namespace cartan::model
