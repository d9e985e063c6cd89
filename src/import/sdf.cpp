// Models, frames and links of SDF.
#include <cmath>
#include <filesystem>

#include "core/source_files.h"
#include "import/sdf_reader.h"
#include "import/sdf_values.h"

namespace cartan::import {
namespace fs = std::filesystem;
namespace {

constexpr int deepest_model = 50, most_included_models = 1000;

}  // namespace

void import_sdf(const XmlElement& root, ImportContext& context) {
  SdfReader(root, context).read();
}

void SdfReader::read() {
  const std::string version = root_.get("version");
  const std::size_t dot = version.find('.');
  version_ = dot == std::string::npos ? 0 : std::atoi(version.c_str() + dot + 1);
  if (version_ <= 0 || version_ > 100 || version[0] != '1') {
    problems_.error(root_.where, "this file has version '" + version +
                                     "' of SDF; expected 1.2 or later, as version=\"1.N\"");
    return;
  }
  open_files_.insert(fs::weakly_canonical(context_.path).string());
  context_.draft.gravity = Vec3<double>{0, 0, -9.81};
  const XmlElement* world = root_.child("world");
  if (world) {
    read_world(*world);
  } else {
    std::vector<const XmlElement*> models;
    for (const XmlElement& child : root_.children)
      if (child.name == "model")
        models.push_back(&child);
      else if (child.name != "actor" && child.name != "light")
        report_.leave("<" + child.name + ">", child.where, no_effect_on_motion);
    for (const XmlElement* model : models) {
      const std::string name = model->get("name");
      add_model(*model, name, models.size() == 1 ? "" : name + "::", "", "", false, nullptr, 0);
    }
    if (models.size() == 1 && !models[0]->get("name").empty())
      context_.draft.name = models[0]->get("name");
  }
  if (problems_.has_errors()) return;
  for (Link& link : links_) add_link(link);
  for (const Model& model : models_)
    for (const XmlElement& child : model.element->children)
      if (child.name == "joint" && !model.fixed && child.get("type") != "gearbox")
        add_joint(child, model);
  hold_components();
  for (const Model& model : models_)
    for (const XmlElement& child : model.element->children) {
      if (child.name != "joint" || model.fixed) continue;
      if (child.get("type") == "gearbox")
        add_gearbox(child, model);
      else
        add_mimics(child, model);
    }
  if (links_.empty() && !problems_.has_errors())
    problems_.error(root_.where, "there is no <link> in this file");
}

void SdfReader::read_world(const XmlElement& world) {
  if (!world.get("name").empty()) context_.draft.name = world.get("name");
  context_.draft.gravity = Vec3<double>{0, 0, -9.8};  // the format's default
  if (const XmlElement* gravity = world.child("gravity")) {
    context_.draft.gravity = text_triple(*gravity, {0, 0, -9.8}, problems_);
    context_.draft.gravity_where = gravity->where;
  }
  int count = 0;
  for (const XmlElement& child : world.children)
    count += child.name == "model" || child.name == "include" ? 1
             : child.name == "joint" || child.name == "frame" ? 2  // they use full names
                                                              : 0;
  Model outer;  // joints and frames of the world itself
  outer.element = &world;
  for (const XmlElement& child : world.children) {
    const std::string name = child.get("name");
    if (child.name == "model")
      add_model(child, name, count == 1 ? "" : name + "::", "", "", false, nullptr, 0);
    else if (child.name == "include")
      include_model(child, "", "", false, count == 1, 0);
    else if (child.name == "frame")
      add_frame_of(child, outer);
    else if (child.name == "joint")
      add_frame_of(child, outer);
    else if (child.name == "state")
      report_.leave("<state>", child.where, "the models stand where they are defined");
    else if (acts_on_motion(child.name))
      problems_.error(child.where, "<" + child.name +
                                       "> is not understood, and the motion "
                                       "without it would be another one");
    else if (child.name != "gravity")
      report_.leave("<" + child.name + ">", child.where, no_effect_on_motion);
  }
  models_.push_back(outer);
}

DraftPose SdfReader::read_pose(const XmlElement& owner, const std::string& prefix,
                               const std::string& otherwise, std::string& relative_to) {
  relative_to = otherwise;
  const XmlElement* pose = owner.child("pose");
  if (!pose) return {};
  std::string named = pose->get("relative_to");
  if (named.empty() && version_before(7)) named = pose->get("frame");
  if (named == "world")
    relative_to = "";
  else if (named == "__model__" || named == "__root__")
    relative_to = prefix + "__model__";
  else if (!named.empty())
    relative_to = prefix + named;
  const auto x = parse_numbers(pose->text, "<pose>", pose->where, problems_);
  if (!x || x->empty()) return {};
  if (x->size() == 7 && pose->get("rotation_format") == "quat_xyzw") {
    DraftPose result;
    result.p = triple(*x);
    result.q = {(*x)[6], (*x)[3], (*x)[4], (*x)[5]};
    if (norm(result.q) > 0)
      result.q = normalized(result.q);
    else
      problems_.error(pose->where, "<pose>: the quaternion is zero");
    return result;
  }
  if (x->size() != 6) {
    problems_.error(pose->where, "<pose>: expected 6 numbers, got " + std::to_string(x->size()));
    return {};
  }
  const double unit = read_flag(pose->get("degrees"), false) ? M_PI / 180 : 1;
  return rpy_pose(triple(*x), {unit * (*x)[3], unit * (*x)[4], unit * (*x)[5]});
}

void SdfReader::add_model(const XmlElement& element, const std::string& name,
                          const std::string& prefix, const std::string& outer_frame,
                          const std::string& outer_prefix, bool fixed,
                          const XmlElement* pose_override, int depth) {
  if (depth > deepest_model) {
    problems_.error(element.where, "models are nested more than 50 deep");
    return;
  }
  if (name.empty()) {
    problems_.error(element.where, "a <model> without a name");
    return;
  }
  Model model;
  model.element = &element;
  model.prefix = prefix;
  model.frame = prefix + "__model__";
  model.fixed = fixed || child_flag(element, "static", false);
  SdfFrames::Frame frame;
  frame.where = element.where;
  const XmlElement& placing =
      pose_override && pose_override->child("pose") ? *pose_override : element;
  frame.pose = read_pose(placing, outer_prefix, outer_frame, frame.relative_to);
  if (!frames_.add(model.frame, frame))
    problems_.error(element.where, "there are two models of the name '" + name + "'");
  if (prefix != outer_prefix) {  // the model's name means its frame
    SdfFrames::Frame alias;
    alias.relative_to = model.frame;
    alias.attached_to = model.frame;
    alias.where = element.where;
    frames_.add(outer_prefix + name, alias);
  }
  for (const XmlElement& child : element.children) {
    if (child.name == "link" || child.name == "joint" || child.name == "frame") {
      add_frame_of(child, model);
    } else if (child.name == "model") {
      const std::string inner = child.get("name");
      add_model(child, inner, prefix + inner + "::", model.frame, prefix, model.fixed, nullptr,
                depth + 1);
    } else if (child.name == "include") {
      include_model(child, prefix, model.frame, model.fixed, false, depth + 1);
    } else {
      leave_rest(child, model);
    }
  }
  // The model frame is carried by its first link, or by the one it names.
  std::string canonical = element.get("canonical_link");
  if (canonical.empty())
    for (const Link& link : links_)
      if (link.name.starts_with(prefix)) {
        canonical = link.name.substr(prefix.size());
        break;
      }
  if (SdfFrames::Frame* own = frames_.find(model.frame)) own->attached_to = prefix + canonical;
  // placement_frame: the pose is that of this frame.
  std::string placement = element.get("placement_frame");
  if (pose_override && pose_override->child("placement_frame"))
    placement = trimmed(pose_override->child("placement_frame")->text);
  if (!placement.empty() && placement != "__model__") {
    DraftPose inside;
    if (frames_.resolve(prefix + placement, model.frame, inside)) {
      SdfFrames::Frame* own = frames_.find(model.frame);
      own->pose = compose(own->pose, inverse(inside));
    } else {
      problems_.error(element.where, "unknown placement frame '" + placement + "'");
    }
  }
  models_.push_back(model);
}

void SdfReader::include_model(const XmlElement& include, const std::string& prefix,
                              const std::string& outer_frame, bool fixed, bool top, int depth) {
  const XmlElement* uri = include.child("uri");
  if (!uri) {
    problems_.error(include.where, "<include> without a <uri>");
    return;
  }
  if (read_flag(include.get("merge"), false)) {
    problems_.error(include.where,
                    "<include merge=\"true\"> is not understood; include the model "
                    "without it, or import the merged file");
    return;
  }
  const std::string named = trimmed(uri->text);
  if (named.starts_with("http://") || named.starts_with("https://")) {
    problems_.error(uri->where, "'" + named +
                                    "' lies on the network and is not fetched; load it "
                                    "to disk and give its path");
    return;
  }
  std::string path = resolve_include(named, uri->where, context_);
  if (path.empty()) return;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) path = (fs::path(path) / "model.sdf").string();
  const std::string identity = fs::weakly_canonical(path, ignored).string();
  if (depth > deepest_model || ++included_count_ > most_included_models ||
      open_files_.count(identity)) {
    problems_.error(uri->where, open_files_.count(identity)
                                    ? "'" + named +
                                          "' includes itself, directly or by way of "
                                          "other files"
                                    : "too many models are included");
    return;
  }
  const auto text = read_xml_text(path, uri->where, problems_);
  if (!text) return;
  auto root = parse_xml(*text, intern_source_file(path), problems_);
  if (!root) return;
  const XmlElement* model = root->child("model");
  if (root->name != "sdf" || !model) {
    problems_.error(uri->where, "'" + named + "' has no <model>");
    return;
  }
  included_.push_back(std::make_unique<XmlElement>(*model));
  const XmlElement* name_element = include.child("name");
  const std::string name =
      name_element ? trimmed(name_element->text) : included_.back()->get("name");
  open_files_.insert(identity);
  add_model(*included_.back(), name, top ? "" : prefix + name + "::", outer_frame, prefix,
            fixed || child_flag(include, "static", false), &include, depth);
  open_files_.erase(identity);
}

void SdfReader::add_frame_of(const XmlElement& element, const Model& model) {
  const std::string name = element.get("name");
  if (name.empty()) {
    problems_.error(element.where, "a <" + element.name + "> without a name");
    return;
  }
  SdfFrames::Frame frame;
  frame.where = element.where;
  frame.is_link = element.name == "link";
  std::string otherwise = model.frame;
  if (element.name == "joint") {
    const XmlElement* child = element.child("child");
    const std::string side = child ? trimmed(child->text) : "";
    if (!side.empty()) otherwise = side == "world" ? "" : model.prefix + side;
    frame.attached_to = otherwise;
  } else if (element.name == "frame") {
    const std::string to = element.get("attached_to");
    if (!to.empty())
      otherwise = to == "world" ? "" : to == "__model__" ? model.frame : model.prefix + to;
    frame.attached_to = otherwise;
  }
  frame.pose = read_pose(element, model.prefix, otherwise, frame.relative_to);
  if (element.name == "link" && name == "world" && model.prefix.empty()) {
    if (frame.pose.p.x != 0 || frame.pose.p.y != 0 || frame.pose.p.z != 0 || frame.pose.rpy)
      problems_.error(element.where, "a link called 'world' is the world and has no pose");
    return;
  }
  if (!frames_.add(model.prefix + name, frame)) {
    problems_.error(element.where, "the name '" + name +
                                       "' stands twice in this model; the first "
                                       "is in " +
                                       line_text(frames_.find(model.prefix + name)->where));
    return;
  }
  if (element.name == "link") links_.push_back({&element, model.prefix + name, model.fixed, {}});
}

void SdfReader::leave_rest(const XmlElement& element, const Model&) {
  const std::string& name = element.name;
  for (const char* known : {"static", "pose", "self_collide", "allow_auto_disable", "enable_wind"})
    if (name == known) return;
  if (acts_on_motion(name))
    problems_.error(element.where, "<" + name +
                                       "> is not understood, and the motion without it "
                                       "would be another one");
  else if (name == "plugin")
    report_.leave("plugins", element.where, "programs of Gazebo do not run here");
  else
    report_.leave("<" + name + ">", element.where, no_effect_on_motion);
}

}  // namespace cartan::import
