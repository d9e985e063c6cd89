// The document as a whole: includes, settings, key frames.
#include <filesystem>

#include "core/source_files.h"
#include "import/mjcf_reader.h"

namespace cartan::import {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_includes = 1000;

// Puts the contents of included files where <include> stands.
class IncludeExpander {
 public:
  explicit IncludeExpander(ImportContext& context) : context_(context) {}

  void expand(XmlElement& element) {
    std::vector<XmlElement> result;
    for (XmlElement& child : element.children) {
      if (child.name == "include") {
        include(child, result);
      } else {
        expand(child);
        result.push_back(std::move(child));
      }
    }
    element.children = std::move(result);
  }
  void open(const std::string& path) { open_.push_back(real(path)); }

 private:
  static std::string real(const std::string& path) {
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(path, error);
    return error ? path : canonical.string();
  }

  void include(const XmlElement& element, std::vector<XmlElement>& result) {
    const XmlAttribute* file = element.find("file");
    if (!file) {
      context_.problems.error(element.where, "<include> without a file");
      return;
    }
    if (++count_ > most_includes) {
      if (count_ == most_includes + 1)
        context_.problems.error(element.where, "more than 1000 files are included");
      return;
    }
    const std::string path = resolve_include(file->value, file->where, context_);
    if (path.empty()) return;
    const std::string identity = real(path);
    for (const std::string& open : open_)
      if (open == identity) {
        context_.problems.error(file->where, "'" + file->value +
                                                 "' includes itself, directly or by way of "
                                                 "other files");
        return;
      }
    const auto text = read_xml_text(path, file->where, context_.problems);
    if (!text) return;
    size_ += text->size();
    if (size_ > max_xml_size) {
      context_.problems.error(file->where, "the included files are larger than 16 MB in all");
      return;
    }
    auto root = parse_xml(*text, intern_source_file(path), context_.problems);
    if (!root) return;
    open_.push_back(identity);
    expand(*root);
    open_.pop_back();
    for (XmlElement& child : root->children) result.push_back(std::move(child));
  }

  ImportContext& context_;
  std::vector<std::string> open_;
  std::size_t count_ = 0, size_ = 0;
};

bool changes_nothing(const std::string& section) {
  for (const char* name : {"visual", "statistic", "size", "sensor", "custom", "extension"})
    if (section == name) return true;
  return false;
}

}  // namespace

void import_mjcf(XmlElement root, ImportContext& context) {
  IncludeExpander expander(context);
  expander.open(context.path);
  expander.expand(root);
  if (!context.problems.has_errors()) MjcfReader(context).read(root);
}

void MjcfReader::read(const XmlElement& root) {
  if (const XmlAttribute* name = root.find("model"); name && !name->value.empty())
    context_.draft.name = name->value;
  for (const XmlElement& section : root.children) {
    if (section.name == "compiler") read_compiler(section);
    if (section.name == "option") read_option(section);
    if (section.name == "default") defaults_.add(section, problems_);
  }
  for (const XmlElement& section : root.children)
    if (section.name == "asset") read_assets(section);
  context_.draft.gravity = gravity_;
  world_.name = "world";
  Contents contents;
  for (const XmlElement& section : root.children)
    if (section.name == "worldbody") {
      Around around;
      around.child_class = section.get("childclass");
      gather(section, around, contents);
    }
  add_contents(contents, "world", {});
  if (bodies_.empty() && !problems_.has_errors())
    problems_.error(root.where, "there is no <body> in this file");
  finish_bodies();
  for (const XmlElement& section : root.children)
    if (section.name == "tendon") read_tendons(section);
  for (const XmlElement& section : root.children) {
    const std::string& name = section.name;
    if (name == "equality")
      read_equality(section);
    else if (name == "actuator")
      read_actuators(section);
    else if (name == "keyframe")
      read_keys(section);
    else if (name == "contact")
      report_.leave("<contact>", section.where, "contacts are not modelled");
    else if (name == "deformable" || name == "flex")
      problems_.error(section.where, "<" + name +
                                         "> describes bodies that deform; they are not modelled, "
                                         "and the motion without them would be another one");
    else if (name == "sensor")
      report_.leave("sensors", section.where, no_effect_on_motion,
                    static_cast<int>(section.children.size()));
    else if (changes_nothing(name))
      report_.leave("<" + name + ">", section.where, no_effect_on_motion);
    else if (name != "compiler" && name != "option" && name != "default" && name != "worldbody" &&
             name != "tendon" && name != "asset")
      problems_.error(section.where, "unknown section <" + name + "> of MJCF");
  }
}

void MjcfReader::read_compiler(const XmlElement& compiler) {
  if (compiler.has("angle")) degrees_ = compiler.get("angle") != "radian";
  if (compiler.get("coordinate") == "global")
    problems_.error(compiler.find("coordinate")->where,
                    "global coordinates were removed from MJCF; save the model with a MuJoCo that "
                    "still reads them");
  if (const XmlAttribute* sequence = compiler.find("eulerseq")) {
    euler_sequence_ = sequence->value;
    if (euler_sequence_.size() != 3 ||
        euler_sequence_.find_first_not_of("xyzXYZ") != std::string::npos) {
      problems_.error(sequence->where,
                      "eulerseq is '" + euler_sequence_ + "'; expected three of x, y, z, X, Y, Z");
      euler_sequence_ = "xyz";
    }
  }
  if (compiler.has("inertiafromgeom")) inertia_from_geom_ = compiler.get("inertiafromgeom");
  if (const auto range = read_numbers(compiler, "inertiagrouprange", 2, 2, problems_);
      !range.empty())
    group_range_[0] = range[0], group_range_[1] = range[1];
  bound_mass_ = read_number(compiler, "boundmass", bound_mass_, problems_);
  bound_inertia_ = read_number(compiler, "boundinertia", bound_inertia_, problems_);
  total_mass_ = read_number(compiler, "settotalmass", total_mass_, problems_);
  if (compiler.has("meshdir")) mesh_folder_ = compiler.get("meshdir");
  if (compiler.has("assetdir")) asset_folder_ = compiler.get("assetdir");
  auto_limits_ = read_flag(compiler.get("autolimits"), auto_limits_);
  strip_path_ = read_flag(compiler.get("strippath"), strip_path_);
  if (compiler.has("balanceinertia")) balance_ = read_flag(compiler.get("balanceinertia"), false);
}

void MjcfReader::read_option(const XmlElement& option) {
  gravity_ = read_triple(option, "gravity", gravity_, problems_);
  for (const char* fluid : {"density", "viscosity"})
    if (read_number(option, fluid, 0, problems_) != 0)
      problems_.error(option.find(fluid)->where,
                      std::string("the ") + fluid +
                          " of a surrounding fluid acts on the motion and is not modelled; set it "
                          "to 0, and write `drag` forces into the imported model file");
  for (const XmlElement& flag : option.children) {
    if (flag.name != "flag") continue;
    if (!read_flag(flag.get("gravity"), true)) gravity_ = {0, 0, 0};
    const bool passive = read_flag(flag.get("passive"), true);
    springs_ = passive && read_flag(flag.get("spring"), true);
    dampers_ = passive && read_flag(flag.get("damper"), true);
    const bool constraint = read_flag(flag.get("constraint"), true);
    equalities_ = constraint && read_flag(flag.get("equality"), true);
    frictions_ = constraint && read_flag(flag.get("frictionloss"), true);
    limits_ = constraint && read_flag(flag.get("limit"), true);
    actuations_ = read_flag(flag.get("actuation"), true);
  }
}

void MjcfReader::finish_bodies() {
  double total = 0;
  for (const MjcfBody& body : bodies_) total += body.inertia.mass;
  const double scale = total_mass_ > 0 && total > 0 ? total_mass_ / total : 1;
  for (MjcfBody& body : bodies_) {
    if (scale != 1) {
      body.inertia.mass *= scale;
      for (double& moment : body.inertia.moments) moment *= scale;
    }
    DraftItem& item = context_.draft.add_body(body.name, body.inertia, body.where);
    set_shapes(item, body.shapes);
    report_.carry("shapes", static_cast<int>(body.shapes.size()));
    if (body.gravity_compensation == 0 || body.inertia.mass == 0) continue;
    const double lift = -body.gravity_compensation * body.inertia.mass;
    context_.draft.add_force("wrench", body.name + "_gravcomp", body.where)
        .set("body", toml_text(body.name))
        .set("at", list_text(body.inertia.com))
        .set("force", list_text(lift * gravity_));
    report_.carry("gravity compensations");
  }
}

void MjcfReader::read_keys(const XmlElement& keyframe) {
  bool first = true;
  for (const XmlElement& key : keyframe.children) {
    if (key.name != "key") continue;
    if (first && (key.has("qpos") || key.has("qvel"))) {
      apply_key(key);
      report_.carry("key frames");
      report_.note(key.where, "the initial state is the key frame '" + key.get("name") + "'");
      first = false;
    } else {
      report_.leave("further key frames", key.where, "a model file has one initial state");
    }
    for (const char* other : {"act", "ctrl", "mpos", "mquat"})
      if (key.has(other))
        report_.leave(std::string("'") + other + "' of key frames", key.where,
                      "a model file's initial state has positions and speeds only");
  }
}

void MjcfReader::apply_key(const XmlElement& key) {
  std::size_t nq = 0, nv = 0;
  for (const std::string& name : joint_order_) {
    const std::string& type = joints_[name].type;
    nq += type == "free" ? 7 : type == "ball" ? 4 : 1;
    nv += type == "free" ? 6 : type == "ball" ? 3 : 1;
  }
  const int most = 1 << 20;
  const std::vector<double> q = read_numbers(key, "qpos", 0, most, problems_),
                            v = read_numbers(key, "qvel", 0, most, problems_);
  for (const auto& [given, wanted, what] :
       {std::tuple(q.size(), nq, "qpos"), std::tuple(v.size(), nv, "qvel")})
    if (given != 0 && given != wanted) {
      problems_.error(key.find(what)->where,
                      "'" + std::string(what) + "' has " + std::to_string(given) +
                          " numbers; the joints of this file have " + std::to_string(wanted));
      return;
    }
  std::size_t i = 0, k = 0;
  for (const std::string& name : joint_order_) {
    const MjcfJoint& joint = joints_[name];
    DraftJoint& draft = context_.draft.joints[joint.draft];
    const bool free = joint.type == "free", ball = joint.type == "ball";
    DraftPose pose;
    if (!q.empty() && (free || ball)) {
      const std::size_t first = i + (free ? 3 : 0);
      pose.q = {q[first], q[first + 1], q[first + 2], q[first + 3]};
      if (norm(pose.q) == 0) pose.q = {};
      pose.q = normalized(pose.q);
      if (free) pose.p = {q[i], q[i + 1], q[i + 2]};
      draft.pose = free ? compose(inverse(joint.in_world), pose) : pose;
      draft.pose->rpy.reset();
    } else if (!q.empty()) {
      draft.position = {q[i] - joint.ref};
    }
    if (!v.empty()) {
      if (free) {
        const Quat<double> turn = q.empty() ? joint.in_world.q : pose.q;
        const Vec3<double> linear = rotate(conjugate(turn), {v[k], v[k + 1], v[k + 2]});
        draft.velocity = {v[k + 3], v[k + 4], v[k + 5], linear.x, linear.y, linear.z};
      } else {
        draft.velocity.assign(v.begin() + k, v.begin() + k + (ball ? 3 : 1));
      }
    }
    i += free ? 7 : ball ? 4 : 1;
    k += free ? 6 : ball ? 3 : 1;
  }
}

}  // namespace cartan::import
