// Mass properties that MJCF takes from surfaces: thin shells.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/draft.h"
#include "model/mesh.h"

namespace cartan::import {

// A thin shell of mass one, and its area.
struct ShellForm {
  double area = 0;
  DraftInertia unit;
};

// Of a mesh: exact for its triangles.
ShellForm mesh_shell(const Mesh& mesh);
// Of sphere, capsule, cylinder (with its ends) and box, sizes as MJCF has them: radii and half
// lengths. Nothing for other types.
std::optional<ShellForm> primitive_shell(const std::string& type, const std::vector<double>& sizes);

}  // namespace cartan::import
