// SDF, the format of Gazebo. Everything has a pose relative to some frame; a joint's frame is given
// relative to its child unless it says otherwise. docs/import.md has the table.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "import/import_context.h"
#include "import/sdf_frames.h"
#include "import/xml_values.h"

namespace cartan::import {

class SdfReader {
 public:
  SdfReader(const XmlElement& root, ImportContext& context)
      : root_(root), context_(context), problems_(context.problems), report_(context.report) {}
  void read();

 private:
  struct Model {
    const XmlElement* element = nullptr;
    std::string prefix;  // "" or "model::"
    std::string frame;   // its own frame's name
    bool fixed = false;  // static
  };
  struct Link {
    const XmlElement* element;
    std::string name;
    bool fixed;
    DraftInertia inertia;
  };
  struct JointRecord {
    std::string type, parent, child;  // links
    std::vector<Vec3<double>> axes_in_world;
    std::vector<std::string> coordinates;  // of each axis: name, or name[i]
  };

  // sdf.cpp: models, frames, links
  void read_world(const XmlElement& world);
  void add_model(const XmlElement& element, const std::string& name, const std::string& prefix,
                 const std::string& outer_frame, const std::string& outer_prefix, bool fixed,
                 const XmlElement* pose_override, int depth);
  void include_model(const XmlElement& include, const std::string& prefix,
                     const std::string& outer_frame, bool fixed, bool top, int depth);
  void add_frame_of(const XmlElement& element, const Model& model);
  void leave_rest(const XmlElement& element, const Model& model);
  void add_link(Link& link);
  DraftInertia read_inertia(const XmlElement& link, const std::string& name);
  DraftInertia auto_inertia(const XmlElement& link, const XmlElement& inertial,
                            const std::string& name);
  std::vector<std::string> read_shapes(const XmlElement& link);
  std::string mesh_shape(const XmlElement& element, const DraftPose& pose);
  void hold_components();
  DraftPose read_pose(const XmlElement& owner, const std::string& prefix,
                      const std::string& otherwise, std::string& relative_to);

  // sdf_joints.cpp
  void add_joint(const XmlElement& element, const Model& model);
  void set_joint_type(const XmlElement& element, const Model& model, DraftJoint joint,
                      const std::string& frame);
  void push_joint(const XmlElement& element, const DraftJoint& joint, JointRecord record);
  void add_revolute2(const XmlElement& element, DraftJoint joint,
                     const std::vector<Vec3<double>>& axes, JointRecord record);
  void read_limits(const XmlElement& axis, const std::string& name, std::size_t k,
                   std::size_t count);
  void add_axis_dynamics(const XmlElement& element, const XmlElement& axis,
                         const std::string& joint, Location where);
  void add_universal_dynamics(const XmlElement& element, const std::string& joint);
  bool read_axis(const XmlElement& element, const char* which, const Model& model,
                 const std::string& frame, Vec3<double>& axis);
  double read_screw_pitch(const XmlElement& element);
  void add_mimics(const XmlElement& element, const Model& model);
  void add_gearbox(const XmlElement& element, const Model& model);
  std::string side_of(const XmlElement& joint, const char* side, const Model& model,
                      std::string& link);
  std::string body_name(const std::string& link) const { return link.empty() ? "world" : link; }

  bool version_before(int minor) const { return version_ < minor; }

  const XmlElement& root_;
  ImportContext& context_;
  Diagnostics& problems_;
  ImportReport& report_;
  int version_ = 0;  // 1.N
  SdfFrames frames_;
  std::vector<Model> models_;
  std::vector<Link> links_;
  std::map<std::string, JointRecord> joints_;
  std::vector<std::unique_ptr<XmlElement>> included_;
  std::set<std::string> open_files_;
  int included_count_ = 0;
};

}  // namespace cartan::import
