#include "model/check/check_context.h"
#include "model/spanning_tree.h"

namespace cartan::model {

namespace {

// A weld between bodies that are welded together already says nothing, or a contradiction.
void refuse_fixed_loops(CheckContext& check) {
  const Model& model = check.model;
  std::vector<int> welded(model.bodies.size());  // the innermost body each one is fixed to
  for (const TreeJoint& step : model.tree) {
    const bool fixed = is_weld(model.joints[step.joint].type);
    const int inboard = step.inboard == world ? world : welded[step.inboard];
    welded[step.outboard] = fixed ? inboard : step.outboard;
  }
  const auto innermost = [&](int body) { return body == world ? world : welded[body]; };
  for (int j : model.loop_joints) {
    const Joint& joint = model.joints[j];
    if (!is_weld(joint.type) || innermost(joint.parent.body) != innermost(joint.child.body))
      continue;
    check.problems.error(joint.where, "joint '" + joint.name +
                                          "' closes a loop of fixed joints only, in which nothing "
                                          "can move; remove one of them");
  }
}

}  // namespace

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
  if (tree.unreached.empty()) refuse_fixed_loops(check);
}

}  // namespace cartan::model
