// Default classes of MJCF: what an element does not say, its class says, then the class around it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "import/xml_tree.h"

namespace cartan::import {

// An element with the attributes of its classes filled in. `from`: the class an attribute comes
// from; own ones are not in it.
struct MergedElement {
  XmlElement element;  // without children
  std::map<std::string, std::string> from;
};

class MjcfDefaults {
 public:
  // <default> at the head of a model, with everything in it. There may be several.
  void add(const XmlElement& section, Diagnostics& problems);

  // `kind`: the word in <default>, "joint" also for others than <joint>. `around`: the childclass
  // that holds where the element stands, "" for none.
  MergedElement merge(const XmlElement& element, const std::string& kind, const std::string& around,
                      Diagnostics& problems) const;
  // The default elements of a class, outermost first, that have one of these names.
  std::vector<const XmlElement*> chain(const std::string& of_class,
                                       const std::vector<std::string>& names) const;
  bool knows(const std::string& of_class) const { return classes_.count(of_class) > 0; }

 private:
  struct Class {
    std::string parent;
    std::vector<XmlElement> elements;
  };
  void add_class(const XmlElement& section, const std::string& name, const std::string& parent,
                 Diagnostics& problems);
  std::map<std::string, Class> classes_ = {{"main", {}}};
};

}  // namespace cartan::import
