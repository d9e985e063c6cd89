#include "import/surface_mass.h"

#include <algorithm>
#include <cmath>

namespace cartan::import {
namespace {

using V = Vec3<double>;

void set_moments(DraftInertia& piece, double xx, double yy, double zz) {
  const double moments[6] = {xx, yy, zz, 0, 0, 0};
  std::copy(moments, moments + 6, piece.moments);
}

}  // namespace

// Over a triangle of area A with corners v: integral of x x^T = A/12 (sum v v^T + (sum v)(sum
// v)^T).
ShellForm mesh_shell(const Mesh& mesh) {
  ShellForm form;
  V first;
  double second[6] = {0, 0, 0, 0, 0, 0};  // xx yy zz xy xz yz
  const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (const std::array<int, 3>& triangle : mesh.triangles) {
    const V a = mesh.vertices[triangle[0]], b = mesh.vertices[triangle[1]],
            c = mesh.vertices[triangle[2]], sum = a + b + c;
    const double area = 0.5 * norm(cross(b - a, c - a));
    form.area += area;
    first += (area / 3) * sum;
    for (int k = 0; k < 6; ++k) {
      const int i = row[k], j = column[k];
      second[k] += area / 12 * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + sum[i] * sum[j]);
    }
  }
  form.unit.mass = 1;
  if (!(form.area > 0)) return form;
  const V center = (1 / form.area) * first;
  double p[6];
  for (int k = 0; k < 6; ++k) p[k] = second[k] / form.area - center[row[k]] * center[column[k]];
  form.unit.com = center;
  const double moments[6] = {p[1] + p[2], p[0] + p[2], p[0] + p[1], -p[3], -p[4], -p[5]};
  std::copy(moments, moments + 6, form.unit.moments);
  return form;
}

std::optional<ShellForm> primitive_shell(const std::string& type, const std::vector<double>& s) {
  ShellForm form;
  form.unit.mass = 1;
  if (type == "sphere") {
    const double moment = 2 * s[0] * s[0] / 3;
    form.area = 4 * M_PI * s[0] * s[0];
    set_moments(form.unit, moment, moment, moment);
    return form;
  }
  if (type == "box") {
    const double x = 2 * s[0], y = 2 * s[1], z = 2 * s[2];
    form.area = 2 * (y * z + x * z + x * y);
    const double fx = 2 * y * z / form.area, fy = 2 * x * z / form.area, fz = 2 * x * y / form.area;
    // mean squares of the coordinates over the six faces
    const double xx = fx * x * x / 4 + (fy + fz) * x * x / 12,
                 yy = fy * y * y / 4 + (fx + fz) * y * y / 12,
                 zz = fz * z * z / 4 + (fx + fy) * z * z / 12;
    set_moments(form.unit, yy + zz, xx + zz, xx + yy);
    return form;
  }
  if (type != "cylinder" && type != "capsule") return std::nullopt;
  const double r = s[0], h = s[1], side = 4 * M_PI * r * h;
  const bool round = type == "capsule";
  const double ends = round ? 4 * M_PI * r * r : 2 * M_PI * r * r;
  form.area = side + ends;
  const double a = side / form.area, e = ends / form.area;
  const double along = a * r * r + e * (round ? 2 * r * r / 3 : r * r / 2);
  const double across =
      a * (r * r / 2 + h * h / 3) + e * (round ? 2 * r * r / 3 + h * h + h * r : r * r / 4 + h * h);
  set_moments(form.unit, across, across, along);
  return form;
}

}  // namespace cartan::import
