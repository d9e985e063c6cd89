// Equalities and tendons of MJCF. MuJoCo's equalities are soft; here they hold exactly.
#include <cmath>

#include "import/mjcf_reader.h"

namespace cartan::import {
namespace {

bool is_scalar(const MjcfJoint& joint) {
  return joint.type == "hinge" || joint.type == "slide";
}

std::string coupler_term(const std::string& joint, double factor) {
  return "[" + toml_text(joint) + ", " + number_text(factor) + "]";
}

}  // namespace

void add_term(std::string& sum, double factor, const std::string& text) {
  if (factor == 0) return;
  const std::string size = number_text(std::abs(factor));
  const std::string term = text.empty()                  ? size
                           : factor == 1 || factor == -1 ? text
                                                         : size + "*" + text;
  if (sum.empty())
    sum = (factor < 0 ? "-" : "") + term;
  else
    sum += (factor < 0 ? " - " : " + ") + term;
}

const MjcfBody* MjcfReader::find_body(const XmlElement& element, const char* attribute) {
  const std::string name = element.get(attribute);
  if (name.empty() || name == "world") return &world_;
  const auto found = body_index_.find(name);
  if (found != body_index_.end()) return &bodies_[found->second];
  problems_.error(element.find(attribute)->where, "unknown body '" + name + "'");
  return nullptr;
}

const MjcfSite* MjcfReader::find_site(const XmlElement& element, const char* attribute) {
  const auto found = sites_.find(element.get(attribute));
  if (found != sites_.end()) return &found->second;
  problems_.error(element.where, "unknown site '" + element.get(attribute) + "'");
  return nullptr;
}

const MjcfJoint* MjcfReader::find_joint(const XmlElement& element, const char* attribute) {
  const auto found = joints_.find(element.get(attribute));
  if (found != joints_.end()) return &found->second;
  problems_.error(element.where, "unknown joint '" + element.get(attribute) + "'");
  return nullptr;
}

void MjcfReader::read_equality(const XmlElement& section) {
  for (const XmlElement& child : section.children) {
    const MergedElement merged = defaults_.merge(child, "equality", "", problems_);
    if (!equalities_ || !read_flag(merged.element.get("active"), true)) {
      report_.leave("equalities that are switched off", child.where, "they do not act");
      continue;
    }
    if (child.name == "connect")
      add_connect(child);
    else if (child.name == "weld")
      add_weld(child);
    else if (child.name == "joint")
      add_joint_equality(child);
    else if (child.name == "tendon")
      add_tendon_equality(child);
    else
      problems_.error(child.where, "the equality <" + child.name +
                                       "> is not understood; the motion without it would be "
                                       "another one");
  }
}

void MjcfReader::add_connect(const XmlElement& element) {
  DraftJoint joint;
  joint.where = element.where;
  joint.type = "spherical";
  joint.loop = true;
  if (element.has("site1")) {
    const MjcfSite *a = find_site(element, "site1"), *b = find_site(element, "site2");
    if (!a || !b) return;
    joint.parent = a->body, joint.child = b->body;
    joint.in_parent.p = a->in_body.p, joint.in_child.p = b->in_body.p;
  } else {
    const MjcfBody *a = find_body(element, "body1"), *b = find_body(element, "body2");
    if (!a || !b) return;
    joint.parent = a->name, joint.child = b->name;
    joint.in_parent.p = read_triple(element, "anchor", {0, 0, 0}, problems_);
    const DraftPose anchor = compose(compose(inverse(b->in_world), a->in_world), joint.in_parent);
    joint.in_child.p = anchor.p;  // where the two points coincide as drawn
  }
  if (joint.parent == joint.child) {
    problems_.error(element.where, "both sides of <connect> are on one body");
    return;
  }
  const std::string name = element.get("name");
  joint.name = context_.draft.free_joint_name(
      name.empty() ? "connect_" + joint.parent + "_" + joint.child : clean_name(name));
  context_.draft.joints.push_back(std::move(joint));
  report_.carry("connect equalities");
}

void MjcfReader::add_weld(const XmlElement& element) {
  DraftJoint joint;
  joint.where = element.where;
  joint.type = "fixed";
  joint.loop = true;
  if (element.has("site1")) {
    const MjcfSite *a = find_site(element, "site1"), *b = find_site(element, "site2");
    if (!a || !b) return;
    joint.parent = a->body, joint.child = b->body;
    joint.in_parent = a->in_body, joint.in_child = b->in_body;
  } else {
    const MjcfBody *a = find_body(element, "body1"), *b = find_body(element, "body2");
    if (!a || !b) return;
    joint.parent = a->name, joint.child = b->name;
    joint.in_parent = compose(inverse(a->in_world), b->in_world);
    if (const auto pose = read_numbers(element, "relpose", 7, 7, problems_); !pose.empty()) {
      const Quat<double> q{pose[3], pose[4], pose[5], pose[6]};
      if (norm(q) > 0) {
        joint.in_parent.p = triple(pose);
        joint.in_parent.q = normalized(q);
        joint.in_parent.rpy.reset();
      }
    }
  }
  if (joint.parent == joint.child) {
    problems_.error(element.where, "both sides of <weld> are on one body");
    return;
  }
  const std::string name = element.get("name");
  joint.name = context_.draft.free_joint_name(
      name.empty() ? "weld_" + joint.parent + "_" + joint.child : clean_name(name));
  context_.draft.joints.push_back(std::move(joint));
  report_.carry("weld equalities");
}

// y = c0 + c1 x + c2 x^2 + ..; without x: y = c0.
MjcfPolynomial MjcfReader::read_polynomial(const XmlElement& element) {
  MjcfPolynomial polynomial;
  const auto c = read_numbers(element, "polycoef", 1, 5, problems_);
  if (!c.empty()) polynomial.constant = c[0];
  if (c.size() > 1) polynomial.factor = c[1];
  if (c.size() > 2) polynomial.higher.assign(c.begin() + 2, c.end());
  return polynomial;
}

// What stands on the right beside the linear term of the coupler; "" for zero.
std::string MjcfPolynomial::offset_text(const std::string& x) const {
  std::string text = constant != 0 ? number_text(constant) : "";
  for (std::size_t k = 0; k < higher.size(); ++k) {
    if (higher[k] == 0) continue;
    const char* const sign = text.empty() ? "" : higher[k] < 0 ? " - " : " + ";
    const double size = text.empty() ? higher[k] : std::fabs(higher[k]);
    text += sign + number_text(size) + "*" + x + "^" + std::to_string(k + 2);
  }
  return is_linear() ? text : toml_text(text);
}

// Both coordinates are counted from their values in the drawn pose, as ours are.
void MjcfReader::add_joint_equality(const XmlElement& element) {
  const MjcfJoint* follower = find_joint(element, "joint1");
  const MjcfJoint* leader = element.has("joint2") ? find_joint(element, "joint2") : nullptr;
  if (!follower || (element.has("joint2") && !leader)) return;
  const MjcfPolynomial polynomial = read_polynomial(element);
  if (!is_scalar(*follower) || (leader && !is_scalar(*leader))) {
    problems_.error(element.where, "a joint equality couples hinges and slides only");
    return;
  }
  if (leader && polynomial.is_linear())
    return add_mimic(follower->name, leader->name, polynomial.factor, polynomial.constant,
                     element.where, context_);
  DraftItem& coupler = context_.draft.add_constraint(
      "coupler", follower->name + (leader ? "_follows" : "_held"), element.where);
  std::string terms = coupler_term(follower->name, 1);
  if (leader && polynomial.factor != 0)
    terms += ", " + coupler_term(leader->name, -polynomial.factor);
  coupler.set("terms", "[" + terms + "]");
  const std::string offset = leader ? polynomial.offset_text(in_expression(leader->name) + ".q")
                                    : MjcfPolynomial{polynomial.constant}.offset_text("");
  if (!offset.empty()) coupler.set("offset", offset);
  report_.carry(leader ? "joint equalities of higher degree" : "held joints");
}

void MjcfReader::add_tendon_equality(const XmlElement& element) {
  MjcfPolynomial polynomial = read_polynomial(element);
  if (!element.has("tendon2")) polynomial.higher.clear();
  std::string terms, length;
  for (const char* which : {"tendon1", "tendon2"}) {
    if (!element.has(which)) continue;
    const auto found = tendons_.find(element.get(which));
    if (found == tendons_.end() || found->second.spatial) {
      problems_.error(element.where, "a tendon equality needs fixed tendons; '" +
                                         element.get(which) + "' is none");
      return;
    }
    const bool follows = which == std::string("tendon1");
    const double sign = follows ? 1 : -polynomial.factor;
    for (const auto& [joint, coefficient] : found->second.joints) {
      if (coefficient * sign != 0)
        terms +=
            (terms.empty() ? "" : ", ") + coupler_term(joints_[joint].name, sign * coefficient);
      if (!follows && coefficient != 0)
        length += (length.empty() ? "" : " + ") + number_text(coefficient) + "*" +
                  in_expression(joints_[joint].name) + ".q";
    }
  }
  if (terms.empty()) return;
  if (length.empty()) polynomial.higher.clear();
  DraftItem& coupler =
      context_.draft.add_constraint("coupler", element.get("tendon1") + "_equality", element.where);
  coupler.set("terms", "[" + terms + "]");
  const std::string offset = polynomial.offset_text("(" + length + ")");
  if (!offset.empty()) coupler.set("offset", offset);
  report_.carry("tendon equalities");
}

void MjcfReader::read_tendons(const XmlElement& section) {
  for (const XmlElement& child : section.children)
    if (child.name == "fixed")
      add_fixed_tendon(child);
    else if (child.name == "spatial")
      add_spatial_tendon(child);
    else
      problems_.error(child.where, "unknown tendon <" + child.name + ">");
}

// Its length is a sum of coordinates, L = sum c (q + ref).
void MjcfReader::add_fixed_tendon(const XmlElement& child) {
  const MergedElement merged = defaults_.merge(child, "tendon", "", problems_);
  const XmlElement& element = merged.element;
  MjcfTendon tendon;
  std::string length, rate;
  double drawn = 0;
  for (const XmlElement& part : child.children) {
    if (part.name != "joint") continue;
    const MjcfJoint* joint = find_joint(part, "joint");
    if (!joint) return;
    if (!is_scalar(*joint)) {
      problems_.error(part.where, "a fixed tendon runs over hinges and slides only");
      return;
    }
    const double c = read_number(part, "coef", 0, problems_);
    tendon.joints.emplace_back(part.get("joint"), c);
    add_term(length, c, in_expression(joint->name) + ".q");
    add_term(rate, c, in_expression(joint->name) + ".v");
    drawn += c * joint->ref;
  }
  const std::string name = element.get("name");
  tendons_[name] = tendon;
  report_.carry("fixed tendons");
  if (element.has("range") && element.get("limited") != "false")
    report_.leave("tendon limits", element.where, limits_reason);
  if (read_number(element, "frictionloss", 0, problems_) != 0 ||
      read_number(element, "armature", 0, problems_) != 0)
    problems_.error(element.where, "friction or armature of the tendon '" + name +
                                       "' is not understood; the motion without it would be "
                                       "another one");
  const double k = springs_ ? read_number(element, "stiffness", 0, problems_) : 0,
               c = dampers_ ? read_number(element, "damping", 0, problems_) : 0;
  if (length.empty()) return;
  if (k != 0) {
    auto rest = read_numbers(element, "springlength", 1, 2, problems_);
    if (rest.empty() || rest[0] == -1) rest = {drawn};
    if (rest.size() == 2 && rest[0] != rest[1])
      problems_.error(element.where, "the spring of the tendon '" + name +
                                         "' has a dead band, "
                                         "which is not understood");
    std::string stretch = length;
    add_term(stretch, drawn - rest[0], "");
    context_.draft.add_force("potential", name + "_spring", element.where)
        .set("value", toml_text(number_text(k / 2) + "*(" + stretch + ")^2"));
    report_.carry("tendon springs");
  }
  if (c != 0)
    for (const auto& [joint, coefficient] : tendon.joints) {
      context_.draft.add_force("joint", name + "_damper_" + joint, element.where)
          .set("joint", toml_text(joints_[joint].name))
          .set("value", toml_text(number_text(-c * coefficient) + "*(" + rate + ")"));
      report_.carry("tendon damping");
    }
}

// Between two sites, without pulleys and wrapping: a spring. Others are refused if they act.
void MjcfReader::add_spatial_tendon(const XmlElement& child) {
  const MergedElement merged = defaults_.merge(child, "tendon", "", problems_);
  const XmlElement& element = merged.element;
  const std::string name = element.get("name");
  MjcfTendon tendon;
  tendon.spatial = true;
  tendons_[name] = tendon;
  const double k = springs_ ? read_number(element, "stiffness", 0, problems_) : 0,
               c = dampers_ ? read_number(element, "damping", 0, problems_) : 0;
  const bool acts = k != 0 || c != 0 || read_number(element, "frictionloss", 0, problems_) != 0 ||
                    read_number(element, "armature", 0, problems_) != 0;
  if (element.has("range") && element.get("limited") != "false")
    report_.leave("tendon limits", element.where, limits_reason);
  if (!acts) {
    report_.leave("spatial tendons without a law", element.where, no_effect_on_motion);
    return;
  }
  std::vector<const XmlElement*> sites;
  bool plain = read_number(element, "frictionloss", 0, problems_) == 0 &&
               read_number(element, "armature", 0, problems_) == 0;
  for (const XmlElement& part : child.children) {
    plain = plain && part.name == "site";
    sites.push_back(&part);
  }
  if (!plain || sites.size() != 2) {
    problems_.error(child.where, "the spatial tendon '" + name +
                                     "' wraps, runs over pulleys or more than two sites, or has "
                                     "friction; the motion without it would be another one");
    return;
  }
  const MjcfSite *a = find_site(*sites[0], "site"), *b = find_site(*sites[1], "site");
  if (!a || !b) return;
  auto rest = read_numbers(element, "springlength", 1, 2, problems_);
  if (rest.empty() || rest[0] == -1) {
    const auto place = [&](const MjcfSite& site) {
      const auto body = std::find_if(bodies_.begin(), bodies_.end(),
                                     [&](const MjcfBody& each) { return each.name == site.body; });
      return compose(body == bodies_.end() ? DraftPose{} : body->in_world, site.in_body).p;
    };
    rest = {norm(place(*a) - place(*b))};
  }
  if (rest.size() == 2 && rest[0] != rest[1])
    problems_.error(element.where, "the spring of the tendon '" + name +
                                       "' has a dead band, which is not understood");
  DraftPose from, to;
  from.p = a->in_body.p, to.p = b->in_body.p;
  DraftItem& spring =
      context_.draft.add_force("spring", name.empty() ? "tendon" : name, element.where);
  spring.set("from", placement_text(a->body, from)).set("to", placement_text(b->body, to));
  if (k != 0) spring.set("stiffness", number_text(k)).set("length", number_text(rest[0]));
  if (c != 0) spring.set("damping", number_text(c));
  report_.carry("spatial tendons");
}

}  // namespace cartan::import
