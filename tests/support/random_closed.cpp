#include "support/random_closed.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "support/random_parts.h"

namespace cartan::test {
namespace {

std::string digits(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}
Values values(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}
RotationText rotation_text(const Quat<double>& q) {
  RotationText text;
  text.kind = RotationText::Kind::quaternion;
  text.values = {q.w, q.x, q.y, q.z};
  return text;
}
PlacementText placement_text(const std::string& body, const Pose<double>& X) {
  PlacementText text;
  text.body = body;
  text.at = values(X.p);
  text.rotate = rotation_text(from_rotation_matrix(X.R));
  return text;
}

Pose<double> shifted(const Vec3<double>& p) {
  return {Mat3<double>::identity(), p};
}

void write_position(JointText& joint, JointType type, const double* q) {
  joint.position = {};
  joint.position.given = type != JointType::fixed;
  const int first = has_quaternion(type) ? 4 : 0;
  if (first) joint.position.rotation = rotation_text({q[0], q[1], q[2], q[3]});
  Values& plain = type == JointType::free ? joint.position.at : joint.position.coordinates;
  for (int k = first; k < info(type).nq; ++k) plain.push_back(q[k]);
}
void write_velocity(JointText& joint, JointType type, const double* v) {
  joint.velocity = {};
  joint.velocity_given = type != JointType::fixed;
  for (int k = 0; k < info(type).nv; ++k) joint.velocity.push_back(v[k]);
}

JointText& find(ModelDescription& d, const std::string& name) {
  return *std::find_if(d.joints.begin(), d.joints.end(),
                       [&](const JointText& j) { return j.name == name; });
}

std::string body_name(const ClosedModel& m, int body) {
  return body == world ? "world" : m.model.bodies[body].name;
}

// ------------------------------------------------------------------------------- the construction

struct Builder {
  Random random;
  const RandomClosedOptions& options;
  ModelDescription model;
  std::unique_ptr<ClosedModel> now;
  int names = 0;

  std::string name(const char* what) { return what + std::to_string(names++); }
  int any_body(bool world_too) {
    return random.integer(world_too && random.chance(0.4) ? world : 0,
                          static_cast<int>(now->model.bodies.size()) - 1);
  }
};

// Consistent, of clear rank, movable, and well enough conditioned for a comparison; with no more
// redundant rows than allowed.
bool is_good(const Builder& b, const ClosedModel& m, int redundant) {
  NaiveState state = m.state;
  project_naive_speeds(m.tree, state);
  const NaiveClosedResult r = calc_naive_closed_dynamics(m.tree, state);
  const double gap = r.rank.smallest_kept;
  const double speed = 1 + r.rows.gamma.cwiseQuotient(r.rank.row_scale).norm();
  return r.dof >= 1 && r.redundant <= redundant && gap > 1e-3 && r.rank.largest_dropped < 1e-12 &&
         r.velocity_residual < 1e-11 && r.acceleration_residual < 1e-10 * speed &&
         r.kappa < b.options.largest_kappa &&
         (r.rows.count() == 0 || r.rows.position.lpNorm<Eigen::Infinity>() < 1e-12);
}

constexpr int any_number = 1000;

// What the check refuses (a loop of fixed joints only) is not drawn.
bool is_legal(const ModelDescription& candidate) {
  Diagnostics problems;
  return check_model(candidate, problems).has_value();
}

bool take(Builder& b, ModelDescription candidate, int redundant = any_number) {
  if (!is_legal(candidate)) return false;
  auto m = std::make_unique<ClosedModel>(candidate);
  if (!is_good(b, *m, redundant)) return false;
  b.model = std::move(candidate);
  b.now = std::move(m);
  return true;
}

template <class F>
bool attempt(Builder& b, int times, int redundant, F&& make) {
  for (int k = 0; k < times; ++k) {
    ModelDescription candidate = b.model;
    if (make(candidate) && take(b, std::move(candidate), redundant)) return true;
  }
  return false;
}
// As many redundant rows as there are now; seldom any number.
int allowed_redundancy(Builder& b) {
  return b.random.chance(b.options.accidental_redundancy) ? any_number : b.now->calc().redundant;
}

std::vector<double> random_coordinates(Random& random, JointType type) {
  std::vector<double> q;
  if (has_quaternion(type)) {
    const Quat<double> u = random.rotation();
    q = {u.w, u.x, u.y, u.z};
  }
  while (static_cast<int>(q.size()) < info(type).nq) q.push_back(random.uniform(-1.4, 1.4));
  return q;
}

// Random axes, written into the text.
NaiveJoint add_axes(Random& random, JointType type, JointText& joint) {
  NaiveJoint like;
  like.type = type;
  like.axis = like.axis2 = random.direction();
  const Vec3<double>& first = like.axis;
  if (type == JointType::universal) {
    while (norm(cross(first, like.axis2)) < 0.4) like.axis2 = random.direction();
    joint.axes = {values(1.5 * first), values(0.8 * like.axis2)};
  } else if (type == JointType::revolute || type == JointType::prismatic ||
             type == JointType::screw || type == JointType::cylindrical ||
             type == JointType::planar) {
    joint.axis = values(random.uniform(0.5, 2) * first);
  }
  if (type == JointType::screw) {
    like.sizes = {random.away_from_zero(0.05, 0.4)};
    joint.sizes["pitch"] = {like.sizes[0]};
  }
  if (type == JointType::ellipsoidal) {
    Random aside = random.aside();
    for (int k = 0; k < 3; ++k) {
      like.sizes.push_back(aside.uniform(0.1, 0.6));
      joint.sizes["radii"].push_back(like.sizes[k]);
    }
  }
  return like;
}

// Fits the child's frame to the parent's: X_child = X_b^-1 X_a X_parent X_PC(q), at the joint's
// coordinates q. `like` has its type and axes, the text the same in writing.
void close(const Builder& b, ModelDescription& d, JointText joint, const NaiveJoint& like,
           int parent, const Pose<double>& X_parent, int child, const std::vector<double>& q) {
  joint.type = info(like.type).name;
  joint.loop = true;
  write_position(joint, like.type, q.data());
  const std::vector<Jet> at(q.begin(), q.end());
  const Pose<Jet> X = calc_naive_joint_pose(like, at.data());
  const Pose<double> X_C = b.now->pose(parent) * X_parent * Pose<double>{value(X.R), value(X.p)};
  joint.parent = placement_text(body_name(*b.now, parent), X_parent);
  joint.child = placement_text(body_name(*b.now, child), inverse(b.now->pose(child)) * X_C);
  d.joints.push_back(joint);
}

bool add_random_loop(Builder& b, ModelDescription& d) {
  JointType type = b.random.pick(b.options.loop_joints);
  Random aside = b.random.aside();
  if (type == JointType::spherical && aside.chance(b.options.tree.ellipsoidal))
    type = JointType::ellipsoidal;
  int parent = b.any_body(true), child = b.any_body(false);
  if (parent == child) return false;
  if (b.random.chance(0.4)) std::swap(parent, child);
  JointText joint;
  joint.name = b.name("loop");
  const NaiveJoint like = add_axes(b.random, type, joint);
  const Pose<double> X_parent{rotation_matrix(b.random.rotation()), b.random.vector(0.6)};
  close(b, d, joint, like, parent, X_parent, child, random_coordinates(b.random, type));
  return true;
}

// The same joint again; along its axis at another place, as the second hinge of a door.
bool add_doubled_joint(Builder& b, ModelDescription& d) {
  const int which = b.random.integer(0, static_cast<int>(b.now->tree.joints.size()) - 1);
  const NaiveJoint& j = b.now->tree.joints[which];
  if (j.type == JointType::free || j.loop) return false;
  const JointText& original = b.model.joints[which];
  JointText joint;
  joint.name = b.name("double");
  joint.axis = original.axis, joint.axes = original.axes, joint.sizes = original.sizes;
  Pose<double> shift;
  if (j.type == JointType::revolute || j.type == JointType::cylindrical ||
      j.type == JointType::screw || j.type == JointType::prismatic)
    shift.p = b.random.uniform(-0.5, 0.5) * j.axis;
  const double* q = b.now->state.q.data() + j.q0;
  close(b, d, joint, j, j.parent, j.X_parent * shift, j.child, {q, q + j.nq});
  return true;
}

BodyText simple_body(Random& random, const std::string& name) {
  BodyText body;
  body.name = name;
  const double mass = random.uniform(0.5, 3), size = mass * random.uniform(0.03, 0.1);
  body.mass = mass;
  body.com = values(random.vector(0.3));
  body.inertia = {size, 0.9 * size, 0.7 * size, 0.05 * size, -0.08 * size, 0.02 * size};
  return body;
}

JointText revolute(const std::string& name, const Vec3<double>& axis, const PlacementText& parent,
                   const PlacementText& child, double angle) {
  JointText joint;
  joint.name = name;
  joint.type = "revolute";
  joint.axis = values(axis);
  joint.parent = parent;
  joint.child = child;
  write_position(joint, JointType::revolute, &angle);
  return joint;
}

// Three or four bodies in a chain of parallel axes, closed by one more: three redundant rows.
bool add_planar_linkage(Builder& b, ModelDescription& d) {
  const int base = b.any_body(true);
  const Vec3<double> axis = b.random.direction();
  const Mat3<double> R = rotation_matrix(b.random.rotation());
  std::string inboard = body_name(*b.now, base);
  const ModelDescription before = b.model;
  const int count = b.random.integer(3, 4);
  for (int k = 0; k < count; ++k) {
    const std::string body = b.name("link");
    d.bodies.push_back(simple_body(b.random, body));
    const Pose<double> X_parent{k == 0 ? R : Mat3<double>::identity(), b.random.vector(0.6)};
    d.joints.push_back(revolute(b.name("hinge"), axis, placement_text(inboard, X_parent),
                                placement_text(body, shifted(b.random.vector(0.6))),
                                b.random.uniform(-1.5, 1.5)));
    inboard = body;
  }
  // where the last body is now
  b.now = std::make_unique<ClosedModel>(b.model = d);
  JointText joint;
  joint.name = b.name("closing");
  joint.axis = values(axis);
  const int last = b.now->model.find_body(inboard);
  NaiveJoint like;
  like.type = JointType::revolute;
  like.axis = axis;
  close(b, d, joint, like, base, {R, b.random.vector(0.6)}, last, {b.random.uniform(-1.4, 1.4)});
  const bool taken = take(b, d);
  if (!taken) b.now = std::make_unique<ClosedModel>(b.model = before);
  return taken;
}

// A coupler carried by three equal cranks at the same angle: it moves though one crank is too many.
bool add_parallelogram(Builder& b, ModelDescription& d) {
  const std::string base = body_name(*b.now, b.any_body(true)), coupler = b.name("coupler");
  const Vec3<double> axis = b.random.direction(), tip = b.random.vector(0.7),
                     middle = b.random.vector(0.3);
  if (norm(cross(axis, tip)) < 0.3) return false;
  const Quat<double> turn = b.random.rotation();
  const Mat3<double> R = rotation_matrix(turn);
  const double angle = b.random.uniform(-1.4, 1.4);
  d.bodies.push_back(simple_body(b.random, coupler));
  const Vec3<double> start = b.random.vector(0.5);
  for (int k = 0; k < 3; ++k) {
    const std::string crank = b.name("crank");
    d.bodies.push_back(simple_body(b.random, crank));
    const Vec3<double> across = k == 0 ? Vec3<double>() : b.random.vector(0.8);
    d.joints.push_back(revolute(b.name("foot"), axis, placement_text(base, {R, start + R * across}),
                                placement_text(crank, {}), angle));
    JointText top = revolute(b.name("top"), axis, placement_text(crank, shifted(tip)),
                             placement_text(coupler, shifted(middle + across)), -angle);
    top.loop = k > 0;
    d.joints.push_back(top);
  }
  return true;
}

// ------------------------------------------------------------------------------------- constraints

bool add_distance(Builder& b, ModelDescription& d) {
  const int from = b.any_body(true), to = b.any_body(false);
  if (from == to) return false;
  ConstraintText c;
  c.type = "distance";
  const Vec3<double> p = b.random.vector(0.6), q = b.random.vector(0.6);
  c.from.body = body_name(*b.now, from), c.from.at = values(p);
  c.to.body = body_name(*b.now, to), c.to.at = values(q);
  const double length = norm(b.now->pose(to) * q - b.now->pose(from) * p);
  if (length < 0.2) return false;
  if (b.random.chance(0.5)) std::swap(c.from, c.to);
  c.length = length;
  d.constraints.push_back(c);
  return true;
}

bool add_knife_edge(Builder& b, ModelDescription& d) {
  const int body = b.any_body(false), on = b.any_body(true);
  if (body == on) return false;
  ConstraintText c;
  c.type = "knife-edge";
  c.body = body_name(*b.now, body);
  c.at = values(b.random.vector(0.5));
  c.normal = values(1.7 * b.random.direction());
  if (on != world) c.on = body_name(*b.now, on);
  d.constraints.push_back(c);
  return true;
}

// The plane is laid through the point.
bool add_point_on_plane(Builder& b, ModelDescription& d) {
  const int body = b.any_body(false), on = b.any_body(true);
  if (body == on) return false;
  const Pose<double> plane = b.now->pose(on);
  const Vec3<double> at = b.random.vector(0.5), normal = b.random.direction();
  const Vec3<double> beside =
      b.now->pose(body) * at + cross(plane.R * normal, b.random.vector(0.7));
  ConstraintText c;
  c.type = "point-on-plane";
  c.body = body_name(*b.now, body);
  c.at = values(at);
  c.plane_normal = values(1.3 * normal);
  c.plane_point = values(inverse_times(plane, beside));
  if (on != world) c.plane_body = body_name(*b.now, on);
  d.constraints.push_back(c);
  return true;
}

// The plane is laid through the lowest point of the wheel, seen along its normal.
bool add_rolling_disc(Builder& b, ModelDescription& d) {
  const int body = b.any_body(false), on = b.any_body(true);
  if (body == on) return false;
  const Pose<double> X = b.now->pose(body), plane = b.now->pose(on);
  const Vec3<double> center = b.random.vector(0.4), axis = b.random.direction(),
                     normal = b.random.direction();
  const Vec3<double> a = X.R * axis, n = plane.R * normal, across = dot(n, a) * a - n;
  if (norm(across) < 0.3) return false;
  const double radius = b.random.uniform(0.2, 0.6);
  const double rim = b.random.chance(0.5) ? b.random.uniform(0.1, 0.9) * radius : 0;
  const Vec3<double> contact = X * center + ((radius - rim) / norm(across)) * across - rim * n;
  const Vec3<double> beside = contact + cross(n, b.random.vector(1));
  ConstraintText c;
  c.type = "rolling-disc";
  c.body = body_name(*b.now, body);
  c.center = values(center);
  c.axis = values(2.0 * axis);
  c.radius = radius;
  if (rim > 0) c.rim = rim;
  c.plane_normal = values(0.6 * normal);
  c.plane_point = values(inverse_times(plane, beside));
  if (on != world) c.plane_body = body_name(*b.now, on);
  d.constraints.push_back(c);
  return true;
}

std::vector<int> plain_joints(const ClosedModel& m, bool loops_only = false) {
  std::vector<int> found;
  for (std::size_t k = 0; k < m.tree.joints.size(); ++k)
    if (m.tree.joints[k].nv > 0 && !has_quaternion(m.tree.joints[k].type) &&
        (m.tree.joints[k].loop || !loops_only))
      found.push_back(static_cast<int>(k));
  return found;
}

bool add_drive(Builder& b, ModelDescription& d) {
  const std::vector<int> joints = plain_joints(*b.now, b.random.chance(0.5));
  if (joints.empty()) return false;
  const int which = b.random.pick(joints);
  const NaiveJoint& j = b.now->tree.joints[which];
  ConstraintText c;
  c.type = "drive";
  c.joint = b.now->model.joints[which].name;
  for (int k = 0; k < j.nq; ++k)
    c.position.push_back(digits(b.now->state.q[j.q0 + k]) + " + " +
                         digits(b.random.uniform(-1, 1)) + "*sin(" +
                         digits(b.random.uniform(0.5, 2)) + "*t) + half*(exp(-t) - 1) + " +
                         digits(b.random.uniform(-1, 1)) + "*t^2");
  d.constraints.push_back(c);
  return true;
}

// A function of a coordinate, at the present one zero. Drawn aside, so that couplers do not change
// what else is drawn.
std::string curved_offset(const Builder& b, const std::vector<int>& joints, double sum) {
  Random random(static_cast<std::uint64_t>(std::fabs(sum) * 1e9));
  const int which = random.pick(joints);
  const NaiveJoint& j = b.now->tree.joints[which];
  const int component = random.integer(0, j.nq - 1);
  std::string change = "(" + b.now->model.joints[which].name + ".q";
  if (j.nq > 1) change += "[" + std::to_string(component) + "]";
  change += " - (" + digits(b.now->state.q[j.q0 + component]) + "))";
  return digits(sum) + " + half*" + digits(random.uniform(-0.4, 0.4)) + "*sin(" +
         digits(random.uniform(0.5, 2)) + "*" + change + ") + " +
         digits(random.uniform(-0.4, 0.4)) + "*" + change + "^2";
}

// sum of factor times coordinate = offset, over tree and loop joints
bool add_coupler(Builder& b, ModelDescription& d) {
  const std::vector<int> joints = plain_joints(*b.now);
  if (joints.size() < 2) return false;
  ConstraintText c;
  c.type = "coupler";
  double sum = 0;
  for (int k = b.random.integer(2, 3); k > 0; --k) {
    const int which = b.random.pick(joints);
    const NaiveJoint& j = b.now->tree.joints[which];
    const int component = b.random.integer(0, j.nq - 1);
    const double factor = b.random.away_from_zero(0.3, 2);
    CouplerTermText term;
    term.coordinate = b.now->model.joints[which].name;
    if (j.nq > 1) term.coordinate += "[" + std::to_string(component) + "]";
    term.factor = factor;
    sum += factor * b.now->state.q[j.q0 + component];
    c.terms.push_back(term);
  }
  c.offset = sum;
  if (b.options.curved_couplers && std::fmod(std::fabs(sum), 0.01) < 0.005)
    c.offset = Value(curved_offset(b, joints, sum));
  d.constraints.push_back(c);
  return true;
}

// ------------------------------------------------------------------------------------ finishing

// Speeds that all constraints allow; positions of loop joints sometimes left unsaid; loop joints
// anywhere in the file, or at its end without the flag.
void finish(Builder& b) {
  NaiveState state = b.now->state;
  project_naive_speeds(b.now->tree, state);
  for (std::size_t k = 0; k < b.model.joints.size(); ++k) {
    const NaiveJoint& j = b.now->tree.joints[k];
    JointText& text = b.model.joints[k];
    write_velocity(text, j.type, state.v.data() + j.v0);
    if (!j.loop) continue;
    if (b.random.chance(0.5)) text.velocity_given = false, text.velocity = {};
    // found from zero by the naive reference only where one turn at most is to be found
    const bool easy = !has_quaternion(j.type) && j.type != JointType::universal;
    if (easy && b.random.chance(0.5)) text.position = {};
  }
  std::vector<JointText> tree, ahead, last;
  for (JointText& text : b.model.joints)
    (!text.loop ? tree : b.random.chance(0.5) ? ahead : last).push_back(text);
  for (JointText& text : last)
    if (b.random.chance(0.6)) text.loop = false;
  for (JointText& text : ahead)
    tree.insert(tree.begin() + b.random.integer(0, static_cast<int>(tree.size())), text);
  tree.insert(tree.end(), last.begin(), last.end());
  b.model.joints = tree;
}

void add_constraints(Builder& b) {
  using Add = bool (*)(Builder&, ModelDescription&);
  std::vector<Add> kinds;
  const RandomClosedOptions& o = b.options;
  if (o.distances) kinds.push_back(add_distance);
  if (o.knife_edges) kinds.push_back(add_knife_edge);
  if (o.rolling_discs) kinds.push_back(add_rolling_disc);
  if (o.points_on_planes) kinds.push_back(add_point_on_plane);
  if (o.drives) kinds.push_back(add_drive);
  if (o.couplers) kinds.insert(kinds.end(), o.curved_couplers ? 2 : 1, add_coupler);
  if (kinds.empty()) return;
  for (int k = b.random.integer(0, o.max_constraints); k > 0; --k) {
    const Add add = b.random.pick(kinds);
    attempt(b, 8, allowed_redundancy(b), [&](ModelDescription& d) { return add(b, d); });
  }
}

}  // namespace

RandomClosedOptions::RandomClosedOptions() : loop_joints(RandomMechanismOptions().joints) {
  tree.min_bodies = 2;
  tree.max_bodies = 9;
  tree.exact_friction = tree.bearings = false;
}

ModelDescription make_random_closed_mechanism(std::uint64_t seed,
                                              const RandomClosedOptions& options) {
  Builder b{Random(seed + 77000), options, {}, {}};
  for (int redraw = 0; !b.now; ++redraw) {
    ModelDescription tree = make_random_mechanism(1000 * seed + redraw, options.tree);
    tree.name = "closed " + std::to_string(seed);
    take(b, std::move(tree));
  }
  if (b.random.chance(options.planar_linkage))
    for (int k = 0; k < 4; ++k)
      if (ModelDescription d = b.model; add_planar_linkage(b, d)) break;
  if (b.random.chance(options.parallelogram))
    attempt(b, 4, any_number, [&](ModelDescription& d) { return add_parallelogram(b, d); });
  const int loops = b.random.integer(options.min_loops, options.max_loops);
  for (int k = 0; k < loops; ++k)
    attempt(b, 6, allowed_redundancy(b),
            [&](ModelDescription& d) { return add_random_loop(b, d); });
  if (b.random.chance(options.doubled_joint))
    attempt(b, 4, any_number, [&](ModelDescription& d) { return add_doubled_joint(b, d); });
  add_constraints(b);
  finish(b);
  // of its own: the rest does not depend on it
  Random rotors(~seed / 3);
  random_parts::add_rotors(rotors, options.tree.rotors, b.model.joints);
  return std::move(b.model);
}

// ------------------------------------------------------------------------------------ ClosedModel

namespace {

Model checked(const ModelDescription& description) {
  Diagnostics problems(description.name);
  std::optional<Model> model = check_model(description, problems);
  if (!model) {
    std::fprintf(stderr, "%s", problems.text().c_str());
    std::abort();
  }
  return std::move(*model);
}

}  // namespace

ClosedModel::ClosedModel(const ModelDescription& description)
    : model(checked(description)),
      tree(make_naive_tree(model, parameter_values(model))),
      state(calc_naive_initial_state(tree)) {
  fill_naive_loop_joints(tree, state);
}

Pose<double> ClosedModel::pose(int body) const {
  if (body == world) return {};
  return calc_naive_motion(tree, state.q, state.v)[body].X;
}

// ---------------------------------------------------------------------------- the same otherwise

namespace {

void write_state(JointText& text, const ClosedModel& closed, int joint) {
  const NaiveJoint& j = closed.tree.joints[joint];
  write_position(text, j.type, closed.state.q.data() + j.q0);
  write_velocity(text, j.type, closed.state.v.data() + j.v0);
}

// The flag on all loop joints, so that the file's order says nothing about the tree.
ModelDescription flagged(ModelDescription d, const ClosedModel& closed) {
  for (std::size_t k = 0; k < d.joints.size(); ++k) d.joints[k].loop = closed.tree.joints[k].loop;
  return d;
}

}  // namespace

ModelDescription cut_at(const ModelDescription& description, const ClosedModel& closed,
                        const std::string& loop, const std::string& tree_joint) {
  ModelDescription d = flagged(description, closed);
  JointText &opened = find(d, loop), &cut = find(d, tree_joint);
  opened.loop = false;
  cut.loop = true;
  write_state(opened, closed, closed.model.find_joint(loop));
  write_state(cut, closed, closed.model.find_joint(tree_joint));
  return d;
}

ModelDescription rebuilt_as_loop(const ModelDescription& description, const ClosedModel& closed,
                                 const std::string& tree_joint, const std::string& name) {
  ModelDescription d = flagged(description, closed);
  const int which = closed.model.find_joint(tree_joint);
  JointText& joint = find(d, tree_joint);
  joint.loop = true;
  write_state(joint, closed, which);
  const NaiveJoint& j = closed.tree.joints[which];
  const std::vector<NaiveBody> bodies =
      calc_naive_motion(closed.tree, closed.state.q, closed.state.v);
  const NaiveBody& body = bodies[j.outboard];
  // a free joint from the world, its frames those of the world and of the body: a twist in the
  // body's axes
  JointText free;
  free.name = name;
  free.type = "free";
  free.parent.body = "world";
  free.child.body = closed.model.bodies[j.outboard].name;
  const Quat<double> u = from_rotation_matrix(body.X.R);
  const double q[7] = {u.w, u.x, u.y, u.z, body.X.p.x, body.X.p.y, body.X.p.z};
  const Vec3<double> w = transpose_times(body.X.R, body.w),
                     x = transpose_times(body.X.R, body.origin_velocity);
  const double v[6] = {w.x, w.y, w.z, x.x, x.y, x.z};
  write_position(free, JointType::free, q);
  write_velocity(free, JointType::free, v);
  d.joints.push_back(free);
  return d;
}

std::vector<int> joints_of_loop(const NaiveTree& tree, int loop_joint) {
  std::vector<int> carrier(tree.bodies.size());
  for (int k : tree.order) carrier[tree.joints[k].outboard] = k;
  // joints between the world and one side, but not the other
  std::vector<int> times(tree.joints.size(), 0), found;
  for (int side : {tree.joints[loop_joint].parent, tree.joints[loop_joint].child})
    for (int body = side; body != world; body = tree.joints[carrier[body]].inboard)
      ++times[carrier[body]];
  for (std::size_t k = 0; k < times.size(); ++k)
    if (times[k] == 1) found.push_back(static_cast<int>(k));
  return found;
}

bool is_mentioned(const ModelDescription& d, const std::string& joint) {
  auto in = [&](const Values& list) {
    return std::any_of(list.begin(), list.end(), [&](const Value& v) {
      return v.text.find(joint + ".") != std::string::npos;
    });
  };
  if (in(d.gravity)) return true;
  return std::any_of(d.forces.begin(), d.forces.end(), [&](const ForceText& f) {
    return f.joint.name == joint || in(f.value) || in(f.force) || in(f.torque) || in(f.medium);
  });
}

}  // namespace cartan::test
