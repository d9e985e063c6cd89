#include "io/model_json.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "core/base64.h"
#include "model/mass_properties.h"

namespace cartan::io {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "meshes are written little-endian");

Json json(const Vec3<double>& v) {
  return {v.x, v.y, v.z};
}
Json json(const Quat<double>& q) {
  return {q.w, q.x, q.y, q.z};
}
Json json(const Sym3<double>& m) {
  return {m.xx, m.yy, m.zz, m.xy, m.xz, m.yz};
}

const char* name_of(ShapeText::Kind kind) {
  switch (kind) {
    case ShapeText::Kind::box:
      return "box";
    case ShapeText::Kind::cylinder:
      return "cylinder";
    case ShapeText::Kind::tube:
      return "tube";
    case ShapeText::Kind::mesh:
      return "mesh";
    case ShapeText::Kind::sphere:
      break;
  }
  return "sphere";
}

class Writer {
 public:
  Writer(const Model& model, std::span<const double> parameters)
      : model_(model), parameters_(parameters) {}

  Json write() const {
    Json result;
    result["name"] = model_.name;
    result["parameters"] = Json::object();
    for (std::size_t i = 0; i < model_.parameters.size(); ++i)
      result["parameters"][model_.parameters[i].name] = parameters_[i];
    for (const Input& input : model_.inputs) result["inputs"][input.name] = input.text;
    for (const Variable& variable : model_.variables)
      result["variables"].push_back({{"name", variable.name},
                                     {"initial", one(variable.initial)},
                                     {"rate", one(variable.rate)}});
    if (!model_.is_mechanism()) {
      if (model_.implicit) result["equations"] = model_.implicit->form.texts;
      return result;
    }
    result["gravity"] = all(model_.gravity);
    result["gravity_frame"] = body_name(model_.gravity_frame);
    result["bodies"] = list(model_.bodies);
    result["joints"] = list(model_.joints);
    result["forces"] = list(model_.forces);
    result["constraints"] = list(model_.constraints);
    if (!model_.cuts.empty()) result["cuts"] = list(model_.cuts);
    if (!model_.contacts.empty()) result["contacts"] = list(model_.contacts);
    add_tree(result);
    add_meshes(result);
    return result;
  }

 private:
  template <class T>
  Json list(const std::vector<T>& items) const {
    Json result = Json::array();
    for (const T& item : items) result.push_back(element(item));
    return result;
  }

  // Numbers, or texts where more than parameters are involved.
  Json all(const Formula& formula) const {
    for (const Symbol& input : formula.program.inputs)
      if (input.quantity != Quantity::parameter) return formula.texts;
    return evaluate<double>(formula, parameters_);
  }
  Json one(const Formula& formula) const {
    return formula.given() ? all(formula)[0] : Json(nullptr);
  }

  std::string body_name(int body) const {
    return body == world ? "world" : model_.bodies[body].name;
  }
  std::string joint_name(int joint) const { return model_.joints[joint].name; }
  Json quaternion(const Rotation& rotation) const {
    return json(calc_quaternion<double>(rotation, parameters_));
  }
  Json place(const Placement& placement) const {
    return {{"body", body_name(placement.body)},
            {"at", all(placement.at)},
            {"quaternion", quaternion(placement.rotate)}};
  }

  // A stop has a joint, everything else two places.
  Json element(const Contact& contact) const {
    if (contact.is_stop()) return {{"name", contact.name}, {"joint", joint_name(contact.joint)}};
    return {{"name", contact.name}, {"a", place(contact.a.place)}, {"b", place(contact.b.place)}};
  }

  Json element(const Cut& cut) const {
    return {{"name", cut.name},
            {"body", body_name(cut.body)},
            {"at", all(cut.at)},
            {"normal", all(cut.normal)}};
  }

  Json element(const Shape& shape) const {
    Json result = {{"kind", name_of(shape.kind)},
                   {"size", all(shape.size)},
                   {"at", all(shape.at)},
                   {"quaternion", quaternion(shape.rotate)}};
    if (!shape.color.empty()) result["color"] = shape.color;
    if (shape.mesh) result["mesh"] = shape.mesh_file;
    return result;
  }

  // Every mesh once, under its file's name: numbers of single precision, little-endian, as Base64.
  void add_meshes(Json& result) const {
    for (const Body& body : model_.bodies)
      for (const Shape& shape : body.shapes)
        if (shape.mesh && !result["meshes"].contains(shape.mesh_file))
          result["meshes"][shape.mesh_file] = mesh_json(*shape.mesh);
  }
  static Json mesh_json(const Mesh& mesh) {
    std::string points, corners;
    Vec3<double> low = mesh.vertices[0], high = low;
    for (const Vec3<double>& v : mesh.vertices)
      for (int k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], v[k]), high[k] = std::max(high[k], v[k]);
        const float x = static_cast<float>(v[k]);
        points.append(reinterpret_cast<const char*>(&x), sizeof x);
      }
    for (const std::array<int, 3>& triangle : mesh.triangles)
      for (int each : triangle) {
        const std::uint32_t x = static_cast<std::uint32_t>(each);
        corners.append(reinterpret_cast<const char*>(&x), sizeof x);
      }
    return {{"low", json(low)},
            {"high", json(high)},
            {"vertices", mesh.vertices.size()},
            {"triangles", mesh.triangles.size()},
            {"points", to_base64(points)},
            {"corners", to_base64(corners)}};
  }

  Json element(const Body& body) const {
    const MassProperties<double> m = calc_mass_properties<double>(body, parameters_);
    return {{"name", body.name},
            {"mass", m.mass},
            {"com", json(m.com)},
            {"inertia", json(m.inertia)},
            {"shapes", list(body.shapes)}};
  }

  Json element(const Joint& joint) const {
    Json result = {{"name", joint.name},
                   {"type", info(joint.type).name},
                   {"parent", place(joint.parent)},
                   {"child", place(joint.child)}};
    if (joint.axes.given()) {
      const Json numbers = all(joint.axes);
      for (std::size_t k = 0; k + 2 < numbers.size(); k += 3)
        result["axes"].push_back({numbers[k], numbers[k + 1], numbers[k + 2]});
    }
    if (const JointSize& size = info(joint.type).keys.size; size.key)
      result[size.key] = size.count == 1 ? one(joint.sizes) : all(joint.sizes);
    if (joint.inertia.given()) result["inertia"] = all(joint.inertia);
    return result;
  }

  // What a force or constraint writes of itself (model/forces/TYPE.h, model/constraints/TYPE.h).
  struct Fields {
    const Writer& writer;
    Json result = Json::object();

    void place(const char* key, const Placement& x) { result[key] = writer.place(x); }
    void body(const char* key, int x) { result[key] = writer.body_name(x); }
    void joint(const char* key, int x) { result[key] = writer.joint_name(x); }
    void number(const char* key, const Formula& x) { result[key] = writer.one(x); }
    void numbers(const char* key, const Formula& x) { result[key] = writer.all(x); }
    void rotation(const char* key, const Rotation& x) { result[key] = writer.quaternion(x); }
    void integer(const char* key, int x) { result[key] = x; }
    void word(const char* key, const std::string& x) { result[key] = x; }
    template <class Write>
    void table(const char* key, Write&& write) {
      Fields one{writer};
      write(one);
      result[key] = one.result;
    }
    template <class T, class Write>
    void list(const char* key, const std::vector<T>& items, Write&& write) {
      result[key] = Json::array();
      for (const T& item : items) {
        Fields one{writer};
        write(item, one);
        result[key].push_back(one.result);
      }
    }
  };

  template <class Element>  // Force, Constraint
  requires requires(const Element& e) { e.law; }
  Json element(const Element& of) const {
    Fields fields{*this};
    std::visit(
        [&](const auto& law) {
          law.write(fields);
          fields.result["type"] = law.type;
        },
        of.law);
    fields.result["name"] = of.name;
    return fields.result;
  }

  void add_tree(Json& result) const {
    result["tree"] = Json::array();
    for (const TreeJoint& link : model_.tree)
      result["tree"].push_back({{"joint", joint_name(link.joint)},
                                {"inboard", body_name(link.inboard)},
                                {"outboard", body_name(link.outboard)},
                                {"reversed", link.reversed}});
    result["loops"] = Json::array();
    for (int joint : model_.loop_joints) result["loops"].push_back(joint_name(joint));
  }

  const Model& model_;
  std::span<const double> parameters_;
};

}  // namespace

std::string model_json(const Model& model, std::span<const double> parameters) {
  // Names come from files already checked to be UTF-8; from C++ they may be anything.
  return Writer(model, parameters).write().dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace cartan::io
