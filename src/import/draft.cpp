#include "import/draft.h"

#include <cctype>
#include <sstream>

#include <fmt/format.h>

#include "core/printable.h"
#include "core/source_files.h"

namespace cartan::import {
namespace {

// Collects lines, each with its place.
class DraftWriter {
 public:
  void line(const std::string& text, Location where = {}) {
    result.text += text + "\n";
    result.places.push_back(where);
  }
  void blank() { line(""); }
  void entries(const char* head, const std::vector<DraftLine>& lines) {
    if (lines.empty()) return;
    blank();
    line(head);
    for (const DraftLine& each : lines) line(each.key + " = " + each.value, each.where);
  }
  void items(const char* head, const std::vector<DraftItem>& all) {
    for (const DraftItem& item : all) {
      blank();
      line(std::string(head) + comment(item), item.where);
      for (const DraftLine& each : item.lines)
        line(each.key + " = " + each.value, each.where.line > 0 ? each.where : item.where);
    }
  }
  // Where it comes from, and what else is to be said.
  static std::string comment(const DraftItem& item) {
    std::string text = item.where.line > 0 ? line_text(item.where) : "";
    if (!item.comment.empty()) text += (text.empty() ? "" : ": ") + item.comment;
    return text.empty() ? "" : "  # " + printable(text);
  }
  Draft::Text result;
};

bool is_plain(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) return false;
  for (char c : name)
    if (!(std::isalnum(static_cast<unsigned char>(c)) || c == '_')) return false;
  return true;
}

// { lower = .., upper = .. }, a list of them for several coordinates; "" where nothing stops
std::string stops_text(const std::vector<DraftStop>& stops) {
  std::string text;
  bool given = false;
  for (const DraftStop& stop : stops) {
    std::string bounds;
    if (stop.lower) bounds += "lower = " + number_text(*stop.lower);
    if (stop.upper)
      bounds += (bounds.empty() ? "" : ", ") + ("upper = " + number_text(*stop.upper));
    text += (text.empty() ? "" : ", ") + (bounds.empty() ? "{}" : "{ " + bounds + " }");
    given = given || stop.given();
  }
  if (!given) return "";
  return stops.size() == 1 ? text : "[" + text + "]";
}

DraftItem joint_item(const DraftJoint& joint) {
  DraftItem item;
  item.where = joint.where;
  item.comment = joint.comment;
  item.set("name", toml_text(joint.name));
  item.set("type", toml_text(joint.type));
  if (joint.axes.size() == 2)
    item.set("axes", "[" + list_text(joint.axes[0]) + ", " + list_text(joint.axes[1]) + "]");
  else if (joint.axes.size() == 1)
    item.set(joint.type == "planar" ? "normal" : "axis", list_text(joint.axes[0]));
  if (joint.type == "screw") item.set("pitch", number_text(joint.pitch));
  item.set("parent", placement_text(joint.parent, joint.in_parent));
  item.set("child", placement_text(joint.child, joint.in_child));
  if (joint.loop) item.set("loop", "true");
  if (joint.pose) {
    std::string text = fmt::format("quaternion = [{}, {}, {}, {}]", number_text(joint.pose->q.w),
                                   number_text(joint.pose->q.x), number_text(joint.pose->q.y),
                                   number_text(joint.pose->q.z));
    if (joint.type == "free") text += ", at = " + list_text(joint.pose->p);
    item.set("position", "{ " + text + " }");
  } else if (!joint.position.empty()) {
    item.set("position", list_text(joint.position));
  }
  if (!joint.velocity.empty()) item.set("velocity", list_text(joint.velocity));
  if (!joint.rotor_inertia.empty()) item.set("inertia", joint.rotor_inertia);
  if (const std::string stops = stops_text(joint.stops); !stops.empty()) item.set("stop", stops);
  return item;
}

}  // namespace

DraftItem& DraftItem::set(const std::string& key, const std::string& value, Location place) {
  lines.push_back({key, value, place});
  return *this;
}

// Shortest digits that give the same number back.
std::string number_text(double x) {
  if (x == 0) return "0";  // not -0
  return fmt::format("{}", x);
}

std::string list_text(const std::vector<double>& x) {
  std::string text;
  for (double each : x) text += (text.empty() ? "" : ", ") + number_text(each);
  return x.size() == 1 ? text : "[" + text + "]";
}

std::string list_text(const Vec3<double>& v) {
  return list_text(std::vector<double>{v.x, v.y, v.z});
}

std::string toml_text(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      result += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result + "\"";
}

std::string rotation_text(const DraftPose& pose) {
  if (pose.rpy) return "{ rpy = " + list_text(*pose.rpy) + " }";
  if (pose.q.x == 0 && pose.q.y == 0 && pose.q.z == 0) return "";
  return "{ quaternion = " + list_text({pose.q.w, pose.q.x, pose.q.y, pose.q.z}) + " }";
}

std::string placement_text(const std::string& body, const DraftPose& pose) {
  std::string text = "{ body = " + toml_text(body);
  if (pose.p.x != 0 || pose.p.y != 0 || pose.p.z != 0) text += ", at = " + list_text(pose.p);
  if (const std::string turned = rotation_text(pose); !turned.empty())
    text += ", rotate = " + turned;
  return text + " }";
}

std::string in_expression(const std::string& name) {
  return is_plain(name) ? name : "'" + name + "'";
}

std::string clean_name(const std::string& name) {
  std::string result;
  for (char c : printable(name))
    result += std::string(",[]'\"\n\r\t\\").find(c) == std::string::npos ? c : '_';
  while (!result.empty() && result.front() == ' ') result.erase(0, 1);
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

DraftItem& Draft::add_body(const std::string& body, const DraftInertia& inertia, Location where) {
  DraftItem item;
  item.where = where;
  item.set("name", toml_text(body));
  item.set("mass", number_text(inertia.mass));
  if (inertia.com.x != 0 || inertia.com.y != 0 || inertia.com.z != 0)
    item.set("com", list_text(inertia.com));
  const double* m = inertia.moments;
  if (m[3] != 0 || m[4] != 0 || m[5] != 0)
    item.set("inertia", list_text(std::vector<double>(m, m + 6)));
  else if (m[0] != 0 || m[1] != 0 || m[2] != 0)
    item.set("inertia", list_text(std::vector<double>(m, m + 3)));
  bodies.push_back(std::move(item));
  return bodies.back();
}

void Draft::add_massless(const std::string& body, Location where) {
  add_body(body, {}, where).comment = "between two joints";
}

DraftItem& Draft::add_force(const std::string& type, const std::string& force, Location where) {
  std::string name = clean_name(force);
  for (int k = 2; !element_names_.insert(name).second; ++k)
    name = clean_name(force) + "_" + std::to_string(k);
  DraftItem item;
  item.where = where;
  item.set("name", toml_text(name)).set("type", toml_text(type));
  forces.push_back(std::move(item));
  return forces.back();
}

DraftItem& Draft::add_constraint(const std::string& type, const std::string& constraint,
                                 Location where) {
  std::string name = clean_name(constraint);
  for (int k = 2; !element_names_.insert(name).second; ++k)
    name = clean_name(constraint) + "_" + std::to_string(k);
  DraftItem item;
  item.where = where;
  item.set("name", toml_text(name)).set("type", toml_text(type));
  constraints.push_back(std::move(item));
  return constraints.back();
}

namespace {

// `wish`, or it with a number behind. The names of the first `indexed` entries are in `taken`.
template <class T, class NameOf>
std::string free_name(const std::string& wish, const std::vector<T>& all,
                      std::unordered_set<std::string>& taken, std::size_t& indexed,
                      NameOf name_of) {
  for (; indexed < all.size(); ++indexed) taken.insert(name_of(all[indexed]));
  std::string name = wish;
  for (int k = 2; taken.count(name) > 0; ++k) name = wish + "_" + std::to_string(k);
  return name;
}

}  // namespace

std::string Draft::free_body_name(const std::string& wish) {
  body_names_.insert("world");
  return free_name(wish, bodies, body_names_, indexed_bodies_, [](const DraftItem& body) {
    const std::string& text = body.lines[0].value;  // in quotes
    return text.substr(1, text.size() - 2);
  });
}

std::string Draft::free_joint_name(const std::string& wish) {
  return free_name(wish, joints, joint_names_, indexed_joints_,
                   [](const DraftJoint& joint) { return joint.name; });
}

std::string Draft::identifier(const std::string& wish) {
  std::string base;
  for (char c : wish) base += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (base.empty() || std::isdigit(static_cast<unsigned char>(base[0]))) base = "_" + base;
  std::string name = base;
  for (int k = 2; !plain_names_.insert(name).second; ++k) name = base + "_" + std::to_string(k);
  return name;
}

std::string Draft::parameter(const std::string& wish, double value, Location where) {
  const std::string name = identifier(wish);
  parameters.push_back({name, number_text(value), where});
  return name;
}

std::string Draft::input(const std::string& wish, double value, Location where) {
  const std::string name = identifier(wish);
  (inputs_are_read ? inputs : parameters).push_back({name, number_text(value), where});
  return name;
}

Draft::Text Draft::write() const {
  DraftWriter out;
  std::istringstream lines(head);
  for (std::string each; std::getline(lines, each);) out.line("# " + printable(each));
  if (!name.empty()) out.line("name = " + toml_text(clean_name(name)));
  if (gravity) out.line("gravity = " + list_text(*gravity), gravity_where);
  out.entries("[parameters]", parameters);
  out.entries("[inputs]", inputs);
  out.items("[[body]]", bodies);
  std::vector<DraftItem> joint_items;
  for (const DraftJoint& joint : joints) joint_items.push_back(joint_item(joint));
  out.items("[[joint]]", joint_items);
  out.items("[[force]]", forces);
  out.items("[[constraint]]", constraints);
  return std::move(out.result);
}

}  // namespace cartan::import
