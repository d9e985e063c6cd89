#include "symbolic/vectors/frames.h"

#include <algorithm>

#include <fmt/format.h>

#include "symbolic/vectors/vectors.h"

namespace cartan::symbolic {
namespace {

// Rotation by an angle about a unit axis a: R = cos 1 + sin hat(a) + (1 - cos) a a^T.
Mat3<Expression> rotation(const Vec3<Expression>& a, const Expression& angle) {
  const Expression c = cos(angle), s = sin(angle);
  return c * Mat3<Expression>::identity() + s * hat(a) + (1 - c) * outer(a, a);
}

// About a coordinate axis: nothing to be multiplied out.
Mat3<Expression> rotation(int axis, const Expression& angle) {
  const Expression c = cos(angle), s = sin(angle);
  Mat3<Expression> R = Mat3<Expression>::identity();
  const int i = axis % 3, j = (axis + 1) % 3;  // the two others, in order
  R(i, i) = R(j, j) = c;
  R(i, j) = -s;
  R(j, i) = s;
  return R;
}

Vec3<Expression> unit(int axis) {
  Vec3<Expression> e;
  e[axis - 1] = 1;
  return e;
}

}  // namespace

Frame Frames::frame(const std::string& name) {
  const auto [at, is_new] = known_.try_emplace(name, size());
  if (is_new) {
    nodes_.emplace_back();
    nodes_.back().name = name;
  }
  return {this, at->second};
}

// -------------------------------------------------------------------------------------- definition

Frame Frames::rotate(Frame from, const std::string& to, int axis, const Expression& angle) {
  if (axis < 1 || axis > 3) {
    problems().error(
        {},
        fmt::format("Rotation to frame {}: axis {} does not exist, choose 1, 2 or 3", to, axis));
    return frame(to);
  }
  return relate(from, to, rotation(axis, angle), true, unit(axis), angle);
}

Frame Frames::rotate(Frame from, const std::string& to, const Vec3<Expression>& axis,
                     const Expression& angle) {
  const double length = value_of(norm2(axis));
  const bool is_number = axis.x.is_number() && axis.y.is_number() && axis.z.is_number();
  if (is_number && !(std::fabs(length - 1) < 1e-12)) {
    problems().error(
        {},
        fmt::format("Rotation to frame {}: the axis must be a unit vector, and the square of its "
                    "length is {:.6g}; divide it by its length",
                    to, length));
    return frame(to);
  }
  return relate(from, to, rotation(axis, angle), true, axis, angle);
}

void Frames::rotate(const std::vector<SimpleRotation>& rotations) {
  for (const SimpleRotation& r : rotations) rotate(frame(r.from), r.to, r.axis, r.angle);
}

Frame Frames::euler(Frame from, const std::string& to, std::string_view axes,
                    const std::vector<Expression>& angles) {
  const bool valid = !axes.empty() && axes.size() == angles.size() &&
                     axes.find_first_not_of("123") == std::string_view::npos;
  if (!valid) {
    problems().error(
        {}, fmt::format(
                "Rotation to frame {}: the sequence \"{}\" takes one digit 1, 2 or 3 for each of "
                "the {} angles, for example \"313\"",
                to, axes, angles.size()));
    return frame(to);
  }
  Frame at = from;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::string name = k + 1 < axes.size() ? fmt::format("{}.{}", to, k + 1) : to;
    at = rotate(at, name, axes[k] - '0', angles[k]);
  }
  return at;
}

Frame Frames::direction_cosines(Frame from, const std::string& to, const Mat3<Expression>& R) {
  return relate(from, to, R, false, {}, 0);
}

bool Frames::refuse_relation(int from, int to, const std::string& name) {
  if (from < 0) {
    problems().error(
        {}, fmt::format(
                "Frame {} is turned from a frame that does not exist; name the first frame of a "
                "tree with frame(\"N\")",
                name));
    return true;
  }
  if (!related(from, to)) return false;
  const std::string &a = nodes_[from].name, &b = nodes_[to].name;
  if (from == to)
    problems().error(
        {}, fmt::format(
                "Frame {} cannot be turned from itself: give the new frame a name of its own", a));
  else if (nodes_[to].parent == from || nodes_[from].parent == to)
    problems().error(
        {}, fmt::format(
                "Frames {} and {} are related already; a relation is defined once: give the new "
                "frame a name of its own",
                a, b));
  else
    problems().error(
        {}, fmt::format(
                "A rotation from {} to {} would close a cycle, for they are related already ({}), "
                "and the angles would depend on each other: leave one relation out and express it "
                "as a constraint",
                a, b, path_text(from, to)));
  return true;
}

Frame Frames::relate(Frame from, const std::string& to, const Mat3<Expression>& R, bool simple,
                     const Vec3<Expression>& axis, const Expression& angle) {
  const Frame child = frame(to);
  if (refuse_relation(from.index, child.index, to)) return child;
  make_root(child.index);  // of the tree it belonged to
  Node& node = nodes_[child.index];
  node.parent = from.index;
  node.R = R;
  node.simple = simple;
  node.axis = axis;
  node.angle = angle;
  nodes_[from.index].children.push_back(child.index);
  set_depths(child.index);
  velocities_.clear();
  return child;
}

// Turns the relations on the way to the root round: R becomes its transpose, w_parent/child = -R w.
void Frames::make_root(int frame) {
  std::vector<int> up;
  for (int i = frame; i >= 0; i = nodes_[i].parent) up.push_back(i);
  for (std::size_t k = up.size() - 1; k > 0; --k) {
    Node& above = nodes_[up[k]];
    Node& below = nodes_[up[k - 1]];
    std::erase(above.children, up[k - 1]);
    below.children.push_back(up[k]);
    above.parent = up[k - 1];
    above.simple = below.simple;
    above.w_given = below.w_given;
    above.has_w = below.w_given;
    above.axis = below.axis;
    above.angle = -below.angle;
    above.w = -(below.R * below.w);
    above.R = transpose(below.R);
  }
  Node& root = nodes_[frame];
  root.parent = -1;
  root.has_w = root.w_given = false;
}

void Frames::set_depths(int frame) {
  std::vector<int> stack = {frame};
  while (!stack.empty()) {
    const int i = stack.back();
    stack.pop_back();
    nodes_[i].depth = nodes_[i].parent < 0 ? 0 : nodes_[nodes_[i].parent].depth + 1;
    stack.insert(stack.end(), nodes_[i].children.begin(), nodes_[i].children.end());
  }
}

// ------------------------------------------------------------------------------------------- paths

std::vector<int> Frames::path(int a, int b) const {
  std::vector<int> up, down;
  while (a != b) {
    if (nodes_[a].depth >= nodes_[b].depth) {
      up.push_back(a);
      a = nodes_[a].parent;
    } else {
      down.push_back(b);
      b = nodes_[b].parent;
    }
    if (a < 0 || b < 0) return {};
  }
  up.push_back(a);
  up.insert(up.end(), down.rbegin(), down.rend());
  return up;
}

bool Frames::related(int a, int b) const {
  return !path(a, b).empty();
}

std::string Frames::path_text(int a, int b) const {
  std::string text;
  for (const int i : path(a, b)) text += (text.empty() ? "" : " - ") + nodes_[i].name;
  return text;
}

Vec3<Expression> Frames::transform(const Vec3<Expression>& v, int from, int to) {
  if (from == to) return v;
  const std::vector<int> way = path(from, to);
  if (way.empty()) {
    problems().error(
        {},
        fmt::format("Frames {} and {} are not related: no chain of rotations leads from one to the "
                    "other; define one with rotate",
                    nodes_[from].name, nodes_[to].name));
    return {};
  }
  Vec3<Expression> result = v;
  for (std::size_t k = 0; k + 1 < way.size(); ++k)
    result = nodes_[way[k]].parent == way[k + 1] ? to_parent(result, way[k])
                                                 : from_parent(result, way[k + 1]);
  return result;
}

Mat3<Expression> Frames::direction_cosines(Frame a, Frame b) {
  return Mat3<Expression>::columns(transform(unit(1), b.index, a.index),
                                   transform(unit(2), b.index, a.index),
                                   transform(unit(3), b.index, a.index));
}

// ------------------------------------------------------------------------------ angular velocities

void Frames::keep_up_to_date() {
  if (version_ == kinematics_->version()) return;
  version_ = kinematics_->version();
  velocities_.clear();
  for (Node& node : nodes_) node.has_w = node.w_given;
}

const Vec3<Expression>& Frames::relative_velocity(int frame) {
  if (!nodes_[frame].has_w) {
    const Node node = nodes_[frame];
    Vec3<Expression> w;
    if (node.simple) {
      w = kinematics_->rate(node.angle) * node.axis;
    } else {
      auto rate = [&](int j) { return kinematics_->rate(node.R.c[j]); };
      // hat(w) = R^T R': w1 = r3 . r2', w2 = r1 . r3', w3 = r2 . r1'
      w = {dot(node.R.c[2], rate(1)), dot(node.R.c[0], rate(2)), dot(node.R.c[1], rate(0))};
    }
    nodes_[frame].w = w;
    nodes_[frame].has_w = true;
  }
  return nodes_[frame].w;
}

// Along the path from a: at each frame what was there, turned, and the rotation's own part. What is
// found on the way is kept, so that a chain of frames costs one step for each.
Vec3<Expression> Frames::angular_velocity_components(int b, int a) {
  keep_up_to_date();
  if (a == b) return {};
  if (const auto at = velocities_.find({b, a}); at != velocities_.end()) return at->second;
  const std::vector<int> way = path(a, b);
  if (way.empty()) return transform({}, a, b);  // says why
  Vec3<Expression> w;
  for (std::size_t k = 0; k + 1 < way.size(); ++k) {
    const int here = way[k], next = way[k + 1];
    if (const auto at = velocities_.find({next, a}); at != velocities_.end()) {
      w = at->second;
      continue;
    }
    if (nodes_[next].parent == here)
      w = from_parent(w, next) + relative_velocity(next);
    else
      w = to_parent(w - relative_velocity(here), here);
    velocities_[{next, a}] = w;
  }
  return w;
}

Vector Frames::angular_velocity(Frame b, Frame a) {
  return {b, angular_velocity_components(b.index, a.index)};
}

void Frames::set_angular_velocity(Frame to, Frame from, const Vec3<Expression>& w) {
  Node& node = nodes_[to.index];
  if (node.parent != from.index) {
    problems().error(
        {}, fmt::format(
                "An angular velocity can be given for frames that are related directly, {} and {} "
                "are not; give it for each rotation between them",
                nodes_[from.index].name, node.name));
    return;
  }
  keep_up_to_date();
  node.w = w;
  node.has_w = node.w_given = true;
  velocities_.clear();
}

}  // namespace cartan::symbolic
