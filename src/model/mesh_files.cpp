#include "model/mesh_files.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

namespace cartan::model {
namespace fs = std::filesystem;
namespace {

// Beyond this a picture in single precision, and a volume, have no numbers.
constexpr double largest_coordinate = 1e12;

bool is_usable(double x) {
  return std::isfinite(x) && std::fabs(x) <= largest_coordinate;
}

std::string lower(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string too_many() {
  return fmt::format("it has more than {} triangles", max_mesh_triangles);
}

// Words of a text, with the number of the line they stand in.
class MeshWords {
 public:
  explicit MeshWords(std::string_view text) : rest_(text) {}

  int line() const { return line_; }
  // The next word anywhere; "" at the end.
  std::string_view next() { return word(true); }
  // The next word of this line; "" at its end. A backslash at the end of a line continues it.
  std::string_view next_in_line() { return word(false); }
  void skip_line() {
    while (!rest_.empty() && rest_.front() != '\n') rest_.remove_prefix(1);
  }

 private:
  std::string_view word(bool over_lines) {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '\\' && continues()) {
        ++line_;
        continue;
      }
      if (c == '\n') {
        if (!over_lines) return {};
        ++line_;
      } else if (!std::isspace(static_cast<unsigned char>(c))) {
        break;
      }
      rest_.remove_prefix(1);
    }
    std::size_t length = 0;
    while (length < rest_.size() && !std::isspace(static_cast<unsigned char>(rest_[length])))
      ++length;
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return found;
  }
  bool continues() {
    std::size_t end = 1;
    if (end < rest_.size() && rest_[end] == '\r') ++end;
    if (end >= rest_.size() || rest_[end] != '\n') return false;
    rest_.remove_prefix(end + 1);
    return true;
  }

  std::string_view rest_;
  int line_ = 1;
};

bool parse_mesh_number(std::string_view word, double& x) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
  return error == std::errc() && end == word.data() + word.size() && is_usable(x);
}

std::string mesh_word(std::string_view word) {
  if (word.empty()) return "the end of the text";
  std::string text = "'";
  for (char c : word.substr(0, 20)) text += c >= ' ' && c < 0x7F ? c : '?';
  return text + (word.size() > 20 ? "..'" : "'");
}

std::string expected_word(const MeshWords& words, const char* what, std::string_view got) {
  return fmt::format("line {}: expected {}, got {}", words.line(), what, mesh_word(got));
}

std::shared_ptr<const Mesh> finished(const std::vector<Vec3<double>>& corners,
                                     std::string& problem) {
  auto mesh = std::make_shared<Mesh>(make_mesh(corners));
  if (!mesh->triangles.empty()) return mesh;
  problem = "it has no triangles";
  return nullptr;
}

std::uint32_t little_endian(const char* bytes) {
  std::uint32_t value = 0;
  for (int k = 3; k >= 0; --k) value = value << 8 | static_cast<unsigned char>(bytes[k]);
  return value;
}

constexpr std::size_t stl_head = 84, stl_facet = 50;

std::shared_ptr<const Mesh> parse_binary_stl(const std::string& bytes, std::size_t count,
                                             std::string& problem) {
  if (count > max_mesh_triangles) {
    problem = too_many();
    return nullptr;
  }
  std::vector<Vec3<double>> corners;
  corners.reserve(3 * count);
  for (std::size_t k = 0; k < count; ++k) {
    const char* at = bytes.data() + stl_head + k * stl_facet + 12;  // behind the normal
    for (int i = 0; i < 3; ++i) {
      Vec3<double> corner;
      for (int j = 0; j < 3; ++j, at += 4) {
        const std::uint32_t bits = little_endian(at);
        float x;
        std::memcpy(&x, &bits, sizeof x);
        corner[j] = x;
        if (is_usable(x)) continue;
        problem = fmt::format("facet {} has a coordinate that is no usable number", k + 1);
        return nullptr;
      }
      corners.push_back(corner);
    }
  }
  return finished(corners, problem);
}

// solid NAME / facet normal x y z / outer loop / vertex x y z, three times / endloop / endfacet
std::shared_ptr<const Mesh> parse_text_stl(const std::string& text, std::string& problem) {
  MeshWords words(text);
  std::vector<Vec3<double>> corners;
  const auto fail = [&](const std::string& why) {
    problem = why;
    return nullptr;
  };
  const auto numbers = [&](Vec3<double>& v, bool needed) {
    for (int k = 0; k < 3; ++k) {
      const std::string_view word = words.next();
      if (parse_mesh_number(word, v[k]) || (!needed && !word.empty())) continue;
      problem = expected_word(words, "a number", word);
      return false;
    }
    return true;
  };
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    const std::string key = lower(word);
    if (key == "solid" || key == "endsolid" || key == "color") {
      words.skip_line();
      continue;
    }
    if (key != "facet") return fail(expected_word(words, "'facet' or 'endsolid'", word));
    Vec3<double> v;
    if (word = words.next(); lower(word) != "normal")
      return fail(expected_word(words, "'normal'", word));
    if (!numbers(v, false)) return nullptr;  // normals are often not numbers, and not used
    for (const char* each : {"outer", "loop"})
      if (word = words.next(); lower(word) != each)
        return fail(expected_word(words, "'outer loop'", word));
    if (corners.size() / 3 >= max_mesh_triangles) return fail(too_many());
    for (int k = 0; k < 3; ++k) {
      if (word = words.next(); lower(word) != "vertex")
        return fail(expected_word(words, "'vertex'", word));
      if (!numbers(v, true)) return nullptr;
      corners.push_back(v);
    }
    for (const char* each : {"endloop", "endfacet"})
      if (word = words.next(); lower(word) != each)
        return fail(expected_word(words, each[3] == 'l' ? "'endloop'" : "'endfacet'", word));
  }
  return finished(corners, problem);
}

bool is_passed_over(std::string_view key) {
  for (const char* known :
       {"vt", "vn", "vp", "g", "o", "s", "mg", "usemtl", "mtllib", "usemap", "maplib", "l", "p",
        "lod", "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj"})
    if (key == known) return true;
  return key.front() == '#';
}

// The vertex of "7", "7/1", "7//3", "-1/2/3"; -1 where there is none such.
int vertex_of(std::string_view word, std::size_t count) {
  long long number = 0;
  const std::size_t slash = std::min(word.find('/'), word.size());
  const auto [end, error] = std::from_chars(word.data(), word.data() + slash, number);
  if (error != std::errc() || end != word.data() + slash) return -1;
  const long long index = number < 0 ? static_cast<long long>(count) + number : number - 1;
  return index >= 0 && index < static_cast<long long>(count) ? static_cast<int>(index) : -1;
}

}  // namespace

std::shared_ptr<const Mesh> parse_stl(const std::string& bytes, std::string& problem) {
  const std::size_t count = bytes.size() < stl_head ? 0 : little_endian(bytes.data() + 80);
  if (bytes.size() >= stl_head && bytes.size() == stl_head + count * stl_facet)
    return parse_binary_stl(bytes, count, problem);
  const std::size_t text = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  if (lower(std::string_view(bytes).substr(text, 5)) == "solid")
    return parse_text_stl(bytes, problem);
  problem =
      bytes.size() < stl_head
          ? fmt::format("it is no STL file: {} bytes, and no 'solid' at its head", bytes.size())
          : fmt::format("a binary STL file of {} triangles has {} bytes, this one {}", count,
                        stl_head + count * stl_facet, bytes.size());
  return nullptr;
}

// Polygons are cut into triangles from their first corner, which is exact for plane ones.
std::shared_ptr<const Mesh> parse_obj(const std::string& text, std::string& problem) {
  MeshWords words(text);
  std::vector<Vec3<double>> vertices, corners;
  const auto fail = [&](const std::string& why) {
    problem = why;
    return nullptr;
  };
  for (std::string_view key = words.next(); !key.empty(); key = words.next()) {
    if (key == "v") {
      Vec3<double> v;
      for (int k = 0; k < 3; ++k)
        if (const std::string_view word = words.next_in_line(); !parse_mesh_number(word, v[k]))
          return fail(expected_word(words, "a number", word));
      if (vertices.size() >= 3 * max_mesh_triangles) return fail(too_many());
      vertices.push_back(v);
    } else if (key == "f") {
      int corner[3] = {0, 0, 0}, count = 0;
      for (std::string_view word = words.next_in_line(); !word.empty();
           word = words.next_in_line()) {
        const int vertex = vertex_of(word, vertices.size());
        if (vertex < 0) return fail(expected_word(words, "the number of a vertex above", word));
        corner[std::min(count++, 2)] = vertex;
        if (count < 3) continue;
        if (corners.size() / 3 >= max_mesh_triangles) return fail(too_many());
        for (int each : corner) corners.push_back(vertices[each]);
        corner[1] = corner[2];
      }
      if (count < 3)
        return fail(fmt::format("line {}: a face with {} corners", words.line(), count));
    } else if (!is_passed_over(key)) {
      return fail(expected_word(words, "v, f or another word of polygons in OBJ", key));
    }
    words.skip_line();
  }
  return finished(corners, problem);
}

bool is_mesh_file(const std::string& file) {
  const std::string ending = lower(fs::path(file).extension().string());
  return ending == ".stl" || ending == ".obj";
}

const MeshFiles::Entry& MeshFiles::find(const std::string& file) {
  const auto known = entries_.find(file);
  if (known != entries_.end()) return known->second;
  Entry entry = read(file);
  if (!entry.mesh) entry.problem = "mesh '" + file + "': " + entry.problem;
  return entries_.emplace(file, std::move(entry)).first->second;
}

const MeshFiles::Hull& MeshFiles::find_hull(const std::string& file) {
  const auto [place, is_new] = hulls_.try_emplace(file);
  Hull& hull = place->second;
  if (!is_new) return hull;
  const Entry& entry = find(file);
  hull.problem = entry.problem;
  if (!entry.mesh) return hull;
  Polyhedron made = make_polyhedron(entry.mesh->vertices, hull.problem);
  if (!hull.problem.empty()) {
    hull.problem = "mesh '" + file + "' cannot touch: " + hull.problem;
    return hull;
  }
  hull.dent = explain_not_convex(*entry.mesh, made);
  hull.body = std::make_shared<const Polyhedron>(std::move(made));
  return hull;
}

MeshFiles::Entry MeshFiles::read(const std::string& file) {
  Entry entry;
  if (!is_mesh_file(file)) {
    entry.missing = true;
    entry.problem = "only STL (.stl) and OBJ (.obj) are read; convert it";
    return entry;
  }
  const FoundPath found = find_path(consent_, folder_, file);
  entry.problem = found.problem;
  entry.missing = !found.problem.empty();
  if (entry.missing) return entry;
  std::error_code error;
  const auto size = fs::is_regular_file(found.path, error) ? fs::file_size(found.path, error) : 0;
  std::ifstream stream(found.path, std::ios::binary);
  if (error || !fs::is_regular_file(found.path, error) || !stream) {
    entry.missing = true;
    entry.problem = "there is no such file";
    return entry;
  }
  if (size > max_mesh_file_size) {
    entry.problem = fmt::format("it is larger than {} MB", max_mesh_file_size >> 20);
    return entry;
  }
  std::string bytes(size, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, stream.gcount())));
  const bool stl = lower(fs::path(file).extension().string()) == ".stl";
  entry.mesh = stl ? parse_stl(bytes, entry.problem) : parse_obj(bytes, entry.problem);
  if (!entry.mesh) return entry;
  triangles_ += entry.mesh->triangles.size();
  if (triangles_ > max_model_mesh_triangles) {
    entry.mesh = nullptr;
    entry.problem = fmt::format("the meshes of this model have more than {} triangles in all",
                                max_model_mesh_triangles);
  }
  return entry;
}

}  // namespace cartan::model
