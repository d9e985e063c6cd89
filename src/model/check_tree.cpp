#include "model/check_context.h"
#include "model/spanning_tree.h"

namespace cartan {

void check_tree(CheckContext& check) {
  Model& model = check.model;
  std::vector<bool> may_join;
  bool complete = true;                            // every joint knows its bodies
  std::vector<bool> in_loop(model.bodies.size());  // bodies with a joint that must close a loop
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const int parent = model.joints[j].parent.body, child = model.joints[j].child.body;
    const bool known = parent != unresolved && child != unresolved;
    complete &= known;
    may_join.push_back(known && parent != child && !check.text.joints[j].loop);
    for (int body : {parent, child})
      if (body >= 0 && check.text.joints[j].loop) in_loop[body] = true;
  }
  SpanningTree tree =
      find_spanning_tree(model.joints, may_join, static_cast<int>(model.bodies.size()));
  model.tree = std::move(tree.joints);
  model.loop_joints = std::move(tree.loops);
  if (!complete) return;  // the joint that was complained about may be the missing one
  for (int b : tree.unreached) {
    const std::string& name = model.bodies[b].name;
    if (name.empty() || name == "world" || check.names.find_body(name) != b) continue;  // reported
    check.problems.error(
        model.bodies[b].where,
        "body '" + name + "' is not connected to the world; " +
            (in_loop[b] ? "a joint with `loop = true` does not carry it, so " : "") +
            "add a joint (type = \"free\" if it moves freely)");
  }
}

}  // namespace cartan
