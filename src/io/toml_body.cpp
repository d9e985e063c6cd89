#include "io/toml_section.h"
#include "io/toml_sections.h"

namespace cartan::io {
namespace {

using Kind = TomlNode::Kind;

struct ShapeForm {
  ShapeText::Kind kind;
  const char* key;
};
constexpr ShapeForm shape_forms[] = {{ShapeText::Kind::box, "box"},
                                     {ShapeText::Kind::cylinder, "cylinder"},
                                     {ShapeText::Kind::tube, "tube"},
                                     {ShapeText::Kind::sphere, "sphere"},
                                     {ShapeText::Kind::mesh, "mesh"}};
const std::vector<KeyRule> shape_keys = {{"box"},   {"cylinder"}, {"tube"},   {"sphere"}, {"mesh"},
                                         {"scale"}, {"at"},       {"rotate"}, {"color"}};
const std::vector<KeyRule> body_keys = {{"name"},  {"mass"},    {"com"},   {"inertia"},
                                        {"shape"}, {"density"}, {"group"}, {"line"}};
const std::vector<KeyRule> line_keys = {{"from"}, {"to"}};
const char* const shape_example =
    "one of box = [x, y, z], cylinder = [radius, length], tube = [inner, outer, length], "
    "sphere = radius or mesh = \"FILE\"";

void read_shape(const TomlNode& node, std::vector<ShapeText>& shapes, Diagnostics& problems) {
  if (!expect(node, Kind::table, "a shape such as { box = [x, y, z] }", problems)) return;
  const TomlSection section(node, problems);
  ShapeText shape;
  shape.where = node.where;
  int given = 0;
  for (const ShapeForm& form : shape_forms) {
    if (!section.has(form.key)) continue;
    ++given;
    shape.kind = form.kind;
    if (form.kind == ShapeText::Kind::mesh)
      section.read(form.key, shape.mesh);
    else
      section.read(form.key, shape.size);
  }
  if (given != 1)
    problems.error(node.where, std::string(given == 0 ? "a shape without a form"
                                                      : "several forms in one shape") +
                                   "; expected " + shape_example);
  if (section.has("scale") && shape.kind != ShapeText::Kind::mesh)
    problems.error(section.find("scale")->where, "'scale' belongs to a mesh; write the sizes");
  else
    section.read("scale", shape.size);
  section.read("at", shape.at);
  section.read("rotate", shape.rotate);
  section.read("color", shape.color);
  section.finish(shape_keys);
  if (given == 1) shapes.push_back(std::move(shape));
}

// line = { from = [..], to = [..] }
void read_line(const TomlNode& node, BodyText& body, Diagnostics& problems) {
  body.line_where = node.where;
  if (!expect(node, Kind::table, "the ends of a rod: { from = [x, y, z], to = [x, y, z] }",
              problems))
    return;
  const TomlSection section(node, problems);
  section.read("from", body.line_from);
  section.read("to", body.line_to);
  for (const char* key : {"from", "to"})
    if (!section.has(key))
      problems.error(node.where, std::string("missing key '") + key +
                                     "' of 'line'; expected { from = [x, y, z], to = [x, y, z] }");
  section.finish(line_keys);
}

}  // namespace

BodyText read_body(const TomlNode& table, Diagnostics& problems) {
  const TomlSection section(table, problems);
  BodyText body;
  body.where = table.where;
  section.read("name", body.name, body.name_where);
  section.read("mass", body.mass);
  section.read("com", body.com);
  section.read("inertia", body.inertia);
  section.read("density", body.density);
  section.read("group", body.group, body.group_where);
  if (const TomlNode* line = section.find("line")) read_line(*line, body, problems);
  if (const TomlNode* shape = section.find("shape")) {
    if (shape->is(Kind::array))
      for (const TomlNode& item : shape->items) read_shape(item, body.shapes, problems);
    else
      read_shape(*shape, body.shapes, problems);
    body.shapes_where = shape->where;
  }
  section.finish(body_keys);
  return body;
}

}  // namespace cartan::io
