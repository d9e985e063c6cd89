#include "import/mjcf_defaults.h"

#include <algorithm>

namespace cartan::import {
namespace {

bool is_orientation(const std::string& attribute) {
  return attribute == "quat" || attribute == "axisangle" || attribute == "xyaxes" ||
         attribute == "zaxis" || attribute == "euler";
}

// The later value counts; a rotation replaces one written in another way.
void put_attribute(MergedElement& merged, const XmlAttribute& attribute, const std::string& from) {
  auto& all = merged.element.attributes;
  const bool turns = is_orientation(attribute.name);
  std::erase_if(all, [&](const XmlAttribute& old) {
    return old.name == attribute.name || (turns && is_orientation(old.name));
  });
  all.push_back(attribute);
  if (from.empty())
    merged.from.erase(attribute.name);
  else
    merged.from[attribute.name] = from;
}

}  // namespace

void MjcfDefaults::add(const XmlElement& section, Diagnostics& problems) {
  const std::string name = section.get("class");
  add_class(section, name.empty() || name == "main" ? "main" : name,
            name.empty() || name == "main" ? "" : "main", problems);
}

void MjcfDefaults::add_class(const XmlElement& section, const std::string& name,
                             const std::string& parent, Diagnostics& problems) {
  Class& own = classes_[name];
  if (name != "main" && own.parent.empty()) own.parent = parent;
  for (const XmlElement& child : section.children) {
    if (child.name != "default") {
      classes_[name].elements.push_back(child);
      continue;
    }
    const std::string inner = child.get("class");
    if (inner.empty() || inner == name || inner == "main") {
      problems.error(child.where, "a <default> inside another needs a class name of its own");
      continue;
    }
    add_class(child, inner, name, problems);
  }
}

std::vector<const XmlElement*> MjcfDefaults::chain(const std::string& of_class,
                                                   const std::vector<std::string>& names) const {
  std::vector<std::string> classes;
  for (std::string name = of_class.empty() ? "main" : of_class;
       !name.empty() && std::find(classes.begin(), classes.end(), name) == classes.end();) {
    classes.push_back(name);
    const auto found = classes_.find(name);
    name = found == classes_.end() ? "" : found->second.parent;
  }
  std::vector<const XmlElement*> result;
  for (auto name = classes.rbegin(); name != classes.rend(); ++name)
    if (const auto found = classes_.find(*name); found != classes_.end())
      for (const XmlElement& element : found->second.elements)
        if (std::find(names.begin(), names.end(), element.name) != names.end())
          result.push_back(&element);
  return result;
}

MergedElement MjcfDefaults::merge(const XmlElement& element, const std::string& kind,
                                  const std::string& around, Diagnostics& problems) const {
  MergedElement merged;
  merged.element.name = element.name;
  merged.element.where = element.where;
  std::string of_class = around;
  if (const XmlAttribute* own = element.find("class")) {
    of_class = own->value;
    if (!knows(of_class)) problems.error(own->where, "unknown default class '" + of_class + "'");
  }
  std::vector<std::string> classes;
  for (std::string name = of_class.empty() ? "main" : of_class;
       !name.empty() && std::find(classes.begin(), classes.end(), name) == classes.end();) {
    classes.push_back(name);
    const auto found = classes_.find(name);
    name = found == classes_.end() ? "" : found->second.parent;
  }
  for (auto name = classes.rbegin(); name != classes.rend(); ++name)
    if (const auto found = classes_.find(*name); found != classes_.end())
      for (const XmlElement& each : found->second.elements)
        if (each.name == kind)
          for (const XmlAttribute& attribute : each.attributes)
            put_attribute(merged, attribute, *name);
  for (const XmlAttribute& attribute : element.attributes) put_attribute(merged, attribute, "");
  return merged;
}

}  // namespace cartan::import
