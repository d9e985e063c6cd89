// What the readers of the formats share: the draft they fill, the report, and where to complain.
#pragma once

#include <string>
#include <vector>

#include "import/draft.h"
#include "import/import.h"
#include "import/xml_tree.h"
#include "model/mesh_files.h"

namespace cartan::import {

struct ImportContext {
  const ImportOptions& options;
  Diagnostics& problems;
  std::string path, folder;
  Draft draft = {};
  ImportReport report = {};
  std::optional<MeshFiles> meshes = {};  // from the folder of the source
  bool meshes_outside = false;           // has been told
  struct Follower {
    std::string name, leader;  // coordinates
    double multiplier, offset;
  };
  std::vector<Follower> followers = {};
};

void import_urdf(const XmlElement& root, ImportContext& context);
void import_mjcf(XmlElement root, ImportContext& context);
void import_sdf(const XmlElement& root, ImportContext& context);

// One shape of a model file: { box = [..], at = [..], rotate = {..} }
std::string shape_text(const char* form, const std::vector<double>& size, const DraftPose& pose);
// A capsule is a cylinder and two balls. `length`: of the cylinder.
std::vector<std::string> capsule_texts(double radius, double length, const DraftPose& pose);
// A mesh as a model file names it, and what is in it; `found` is null after the report has been
// told why there is nothing to be seen. `folder`: what a relative path counts from.
struct NamedMesh {
  std::string name;
  std::shared_ptr<const Mesh> found;
  std::string problem;
};
NamedMesh find_mesh(const std::string& file, const std::string& folder, Location where,
                    ImportContext& context);
// Of the file in which something stands.
std::string folder_of(Location where, const ImportContext& context);
// { mesh = "..", scale = .., at = [..], rotate = {..} }
std::string mesh_shape_text(const std::string& name, const Vec3<double>& scale,
                            const DraftPose& pose);
// The line `shape = ..` of a body.
void set_shapes(DraftItem& body, const std::vector<std::string>& shapes);

// Forces of a joint with one coordinate.
struct JointDynamics {
  std::string damping, stiffness, friction;  // TOML values; "" for none
  double rest = 0;
};
void add_joint_forces(const std::string& joint, const JointDynamics& dynamics, Location where,
                      ImportContext& context);

// follower = multiplier * leader + offset, coordinates as "joint" or "joint[i]"
void add_mimic(const std::string& follower, const std::string& leader, double multiplier,
               double offset, Location where, ImportContext& context);

// Limits of coordinate k of a joint with `count` coordinates become a stop. Bounds that are
// infinite or so large that they mean it do not count.
void add_limits(DraftJoint& joint, std::size_t k, std::size_t count, DraftStop limits,
                Location where, ImportContext& context);
// After everything is read: limits of joints that follow another one become limits of that one, so
// that they are reached once; joints whose limits exclude the drawn pose start at the nearer end.
void finish_limits(ImportContext& context);

// A root body that nothing holds: fixed, or free where the user says so; either is told.
void hold_root(const std::string& body, const DraftPose& pose, Location where,
               ImportContext& context, const std::string& joint_name = "base");

// The file a path in a document means, after its folder has been checked; "" after a complaint.
std::string resolve_include(const std::string& file, Location where, ImportContext& context);

inline constexpr const char* no_effect_on_motion = "no effect on the motion";
inline constexpr const char* limits_reason =
    "only coordinates of joints have stops: the motion goes on beyond these limits";
inline constexpr const char* rotor_reason =
    "the model file has no rotor inertia yet: the motion is another one where it matters";

}  // namespace cartan::import
