// Files with triangles: STL (text and binary) and Wavefront OBJ.
//
//   MeshFiles files(model.folder, model.consent);
//   const MeshFiles::Entry& wheel = files.find("meshes/wheel.stl");
//   if (!wheel.mesh) std::cerr << wheel.problem;
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "model/consent.h"
#include "model/mesh.h"
#include "model/polyhedron.h"

namespace cartan::model {

inline constexpr std::size_t max_mesh_file_size = std::size_t{64} << 20;
inline constexpr std::size_t max_mesh_triangles = 1000000;        // of one mesh
inline constexpr std::size_t max_model_mesh_triangles = 3000000;  // of all that a model names

class MeshFiles {
 public:
  struct Entry {
    std::shared_ptr<const Mesh> mesh;  // null: see `problem`
    std::string problem;
    // Nothing lies there that may be read, or the kind of file is none that is read: a picture can
    // do without.
    bool missing = false;
  };

  explicit MeshFiles(std::string folder, Consent consent = {})
      : folder_(std::move(folder)), consent_(std::move(consent)) {}
  const Entry& find(const std::string& file);

  // The convex hull of a file's mesh, made when it is first asked for.
  struct Hull {
    std::shared_ptr<const Polyhedron> body;  // null: see `problem`
    std::string problem;
    std::string dent;  // why the mesh itself is not convex, "" where it is
  };
  const Hull& find_hull(const std::string& file);

 private:
  Entry read(const std::string& file);

  std::string folder_;
  Consent consent_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, Hull> hulls_;
  std::size_t triangles_ = 0;
};

// By the file's ending: .stl, .obj in any case.
bool is_mesh_file(const std::string& file);

// Null, with the reason in `problem`, where the bytes are none.
std::shared_ptr<const Mesh> parse_stl(const std::string& bytes, std::string& problem);
std::shared_ptr<const Mesh> parse_obj(const std::string& text, std::string& problem);

}  // namespace cartan::model
