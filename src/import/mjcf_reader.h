// MJCF, the model format of MuJoCo. A body's joints act in their order, each between the frame
// before it and the next; their anchors and axes have components in the body's frame. Angles are
// degrees unless the compiler says otherwise; stiffness and damping are always per radian.
// Conventions (order of replication, actuator laws, fromto) were looked up in the sources of
// MuJoCo; docs/import.md has the table.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "import/import_context.h"
#include "import/mjcf_defaults.h"
#include "import/xml_values.h"

namespace cartan::import {

struct MjcfBody {
  std::string name;
  DraftInertia inertia;
  std::vector<std::string> shapes;
  DraftPose in_world;  // in the pose the file draws
  double gravity_compensation = 0;
  Location where;
};
struct MjcfJoint {
  std::string name, type;  // hinge, slide, ball, free
  double ref = 0;
  DraftPose in_world;  // of its body
  std::size_t draft = 0;
};
// A mesh of <asset>: shown at `pose` of a geom, scaled.
struct MjcfMesh {
  std::string file, inertia;  // inertia: legacy, exact, convex, shell
  Vec3<double> scale{1, 1, 1};
  DraftPose pose;
  std::string refusal;  // why it cannot be read, "" otherwise
  Location where;
  std::shared_ptr<const Mesh> written = {};  // out in the file
};
struct MjcfSite {
  std::string body;
  DraftPose in_body;
};
// Of an equality: y = constant + factor x + higher[0] x^2 + ..
struct MjcfPolynomial {
  double constant = 0, factor = 1;
  std::vector<double> higher = {};
  bool is_linear() const {
    return std::all_of(higher.begin(), higher.end(), [](double c) { return c == 0; });
  }
  std::string offset_text(const std::string& x) const;
};
struct MjcfTendon {
  std::vector<std::pair<std::string, double>> joints;  // name in the file, coefficient
  bool spatial = false;
  bool dead = false;  // reported, or without effect
};

class MjcfReader {
 public:
  explicit MjcfReader(ImportContext& context)
      : context_(context), problems_(context.problems), report_(context.report) {}
  void read(const XmlElement& root);

 private:
  // mjcf.cpp
  void read_compiler(const XmlElement& compiler);
  void read_option(const XmlElement& option);
  void finish_bodies();
  void read_keys(const XmlElement& keyframe);
  void apply_key(const XmlElement& key);

  // mjcf_bodies.cpp
  struct Around {     // what holds where an element stands
    DraftPose frame;  // of the element's surroundings in the body
    std::string child_class, suffix;
  };
  struct Contents {  // of one body, frames and replications taken apart
    std::vector<std::pair<MergedElement, Around>> joints, geoms, sites;
    std::vector<std::pair<const XmlElement*, Around>> bodies;
    const XmlElement* inertial = nullptr;
  };
  void gather(const XmlElement& element, const Around& around, Contents& contents);
  void replicate(const XmlElement& element, const Around& around, Contents& contents);
  void add_body(const XmlElement& element, const Around& around, const std::string& parent,
                const DraftPose& parent_in_world);
  void add_contents(const Contents& contents, const std::string& body, const DraftPose& in_world);
  std::string add_joints(const Contents& contents, const std::string& parent,
                         const std::string& body, const DraftPose& in_parent,
                         const DraftPose& in_world, Location where);
  void add_joint(const MergedElement& merged, const Around& around, const std::string& type,
                 DraftJoint joint, const DraftPose& in_world);
  void add_joint_dynamics(const MergedElement& merged, const std::string& type,
                          const DraftJoint& joint, double ref);
  std::string rotor_of(const MergedElement& merged, const std::string& type);
  void add_joint_limits(const XmlElement& element, const std::string& type, double ref,
                        DraftJoint& joint);
  std::string dynamic_value(const MergedElement& merged, const char* attribute);
  DraftPose read_pose(const XmlElement& element);
  Quat<double> read_rotation_of(const XmlElement& element);
  Quat<double> quaternion_from_euler(const Vec3<double>& angles) const;

  // mjcf_geoms.cpp
  DraftInertia read_inertial(const XmlElement& inertial);
  DraftInertia inertia_of(const Contents& contents, const std::string& body, Location where);
  bool add_geom(const MergedElement& merged, const Around& around, const std::string& body,
                bool counts, std::vector<DraftInertia>& pieces, std::vector<std::string>& shapes);
  void bound_inertia(DraftInertia& inertia) const;

  // mjcf_meshes.cpp
  void read_assets(const XmlElement& section);
  DraftInertia mesh_shell_inertia(const MjcfMesh& mesh, const Mesh& found, const XmlElement& geom);
  void read_written_mesh(const XmlElement& element, MjcfMesh& mesh);
  const MjcfMesh* find_mesh_of(const XmlElement& geom) const;
  NamedMesh load_mesh(const MjcfMesh& mesh, Location where);
  std::string mesh_geom_text(const XmlElement& geom, const DraftPose& pose);
  bool add_mesh_inertia(const XmlElement& geom, const DraftPose& pose, const std::string& body,
                        std::vector<DraftInertia>& pieces);

  // mjcf_links.cpp: equality, tendon
  void read_equality(const XmlElement& section);
  void add_connect(const XmlElement& element);
  void add_weld(const XmlElement& element);
  void add_joint_equality(const XmlElement& element);
  void add_tendon_equality(const XmlElement& element);
  MjcfPolynomial read_polynomial(const XmlElement& element);
  const MjcfBody* find_body(const XmlElement& element, const char* attribute);
  const MjcfSite* find_site(const XmlElement& element, const char* attribute);
  const MjcfJoint* find_joint(const XmlElement& element, const char* attribute);
  void read_tendons(const XmlElement& section);
  void add_fixed_tendon(const XmlElement& element);
  void add_spatial_tendon(const XmlElement& element);

  // mjcf_actuators.cpp
  struct Actuator;
  void read_actuators(const XmlElement& section);
  void add_actuator(const XmlElement& element);
  void apply_actuator(const XmlElement& element, Actuator& actuator);
  void add_tendon_actuator(const XmlElement& element, const Actuator& actuator,
                           const std::string& input);
  void add_site_actuator(const XmlElement& element, const Actuator& actuator,
                         const std::string& input);
  void add_joint_actuator(const XmlElement& element, const Actuator& actuator,
                          const std::string& input);

  ImportContext& context_;
  Diagnostics& problems_;
  ImportReport& report_;
  MjcfDefaults defaults_;
  bool degrees_ = true, springs_ = true, dampers_ = true, equalities_ = true, frictions_ = true;
  bool actuations_ = true, limits_ = true, auto_limits_ = true, limits_told_ = false;
  std::string euler_sequence_ = "xyz", inertia_from_geom_ = "auto";
  double group_range_[2] = {0, 5};
  double bound_mass_ = 0, bound_inertia_ = 0, total_mass_ = -1;
  bool balance_ = false;
  Vec3<double> gravity_{0, 0, -9.81};
  std::vector<MjcfBody> bodies_;
  std::map<std::string, std::size_t> body_index_;
  std::map<std::string, MjcfJoint> joints_;
  std::vector<std::string> joint_order_;
  std::map<std::string, MjcfSite> sites_;
  std::map<std::string, MjcfMesh> meshes_;
  std::string mesh_folder_, asset_folder_;
  bool strip_path_ = false;
  std::map<std::string, MjcfTendon> tendons_;
  std::map<std::string, std::string> class_parameters_;
  std::size_t expanded_ = 0;
  int body_count_ = 0, joint_count_ = 0, actuator_count_ = 0;
  MjcfBody world_;
};

// "2*a + 1": adds factor * text to an expression; `text` "" for a number alone.
void add_term(std::string& sum, double factor, const std::string& text);

}  // namespace cartan::import
