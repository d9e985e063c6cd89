// Meshes: files of triangles, and the mass properties of what they enclose.
#include "model/mesh_files.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include "io/toml_reader.h"
#include "model/mass_properties.h"
#include "support/text_mutator.h"
#include "unit/codegen/work_folder.h"

namespace cartan::test {
namespace {

using Corners = std::vector<Vec3<double>>;

// The box from a to b; faces anticlockwise from outside.
Corners box_corners(const Vec3<double>& a, const Vec3<double>& b) {
  const auto corner = [&](int k) {
    return Vec3<double>{k & 1 ? b.x : a.x, k & 2 ? b.y : a.y, k & 4 ? b.z : a.z};
  };
  const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                           {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  Corners corners;
  for (const auto& q : quads)
    for (const int k : {0, 1, 2, 0, 2, 3}) corners.push_back(corner(q[k]));
  return corners;
}

std::string stl_text(const Corners& corners) {
  std::string text = "solid made by hand\n";
  for (std::size_t k = 0; k < corners.size(); k += 3) {
    text += " facet normal 0 0 nan\n  outer loop\n";
    for (std::size_t i = k; i < k + 3; ++i) {
      char line[120];
      std::snprintf(line, sizeof line, "   vertex %.17g %.17g %.17g\n", corners[i].x, corners[i].y,
                    corners[i].z);
      text += line;
    }
    text += "  endloop\n endfacet\n";
  }
  return text + "endsolid made by hand\n";
}

std::string stl_bytes(const Corners& corners) {
  std::string bytes(80, ' ');
  const auto append = [&](const auto& number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  append(static_cast<std::uint32_t>(corners.size() / 3));
  for (std::size_t k = 0; k < corners.size(); k += 3) {
    for (int j = 0; j < 3; ++j) append(0.0f);
    for (std::size_t i = k; i < k + 3; ++i)
      for (int j = 0; j < 3; ++j) append(static_cast<float>(corners[i][j]));
    append(static_cast<std::uint16_t>(0));
  }
  return bytes;
}

MeshSolid solid_of(const Corners& corners) {
  MeshSolid solid;
  EXPECT_EQ(calc_mesh_solid(make_mesh(corners), solid), "");
  return solid;
}
std::string refusal_of(const Corners& corners) {
  MeshSolid solid;
  return calc_mesh_solid(make_mesh(corners), solid);
}

TEST(Mesh, ABoxHasItsVolumeCentreAndMoments) {
  const MeshSolid s = solid_of(box_corners({1, 2, 3}, {2, 4, 7}));
  EXPECT_NEAR(s.volume, 8, 1e-14);
  EXPECT_NEAR(norm(s.center - Vec3<double>{1.5, 3, 5}), 0, 1e-14);
  const double expected[6] = {8 / 12.0, 8 * 4 / 12.0, 8 * 16 / 12.0, 0, 0, 0};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(s.second[k], expected[k], 1e-13) << k;
}

// About the centre (1/4, 1/4, 1/4): 1/60 - 1/96, 1/120 - 1/96.
TEST(Mesh, ATetrahedronHasTheClosedForm) {
  const Vec3<double> o, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  const MeshSolid s = solid_of({o, y, x, o, x, z, o, z, y, x, y, z});
  EXPECT_NEAR(s.volume, 1 / 6.0, 1e-16);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(s.center[k], 0.25, 1e-15);
    EXPECT_NEAR(s.second[k], 1 / 160.0, 1e-16);
    EXPECT_NEAR(s.second[3 + k], -1 / 480.0, 1e-16);
  }
}

Corners sphere_corners(int n) {
  Corners corners;
  const auto at = [&](int i, int j) {
    const double theta = M_PI * i / n, phi = 2 * M_PI * (j % (2 * n)) / (2 * n);
    if (i == 0 || i == n) return Vec3<double>{0, 0, i == 0 ? 1.0 : -1.0};
    return Vec3<double>{std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                        std::cos(theta)};
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 2 * n; ++j) {
      for (const auto& p : {at(i, j), at(i + 1, j), at(i + 1, j + 1)}) corners.push_back(p);
      for (const auto& p : {at(i, j), at(i + 1, j + 1), at(i, j + 1)}) corners.push_back(p);
    }
  return corners;  // at the poles some are degenerate
}

TEST(Mesh, ASphereIsApproachedWithSecondOrder) {
  const double volume = 4 * M_PI / 3, moment = volume / 5;  // of x^2
  double before[2] = {0, 0};
  for (const int n : {8, 16, 32, 64}) {
    const MeshSolid s = solid_of(sphere_corners(n));
    const double error[2] = {volume - s.volume, moment - s.second[0]};
    for (int k = 0; k < 2; ++k) {
      EXPECT_GT(error[k], 0);
      if (n > 8) EXPECT_NEAR(before[k] / error[k], 4, n > 16 ? 0.05 : 0.2) << n;
      before[k] = error[k];
    }
    EXPECT_NEAR(norm(s.center), 0, 1e-14);
    EXPECT_NEAR(s.second[3], 0, 1e-14);
  }
}

TEST(Mesh, ACavityIsTakenOff) {
  Corners corners = box_corners({0, 0, 0}, {3, 3, 3}), inner = box_corners({1, 1, 1}, {2, 2, 2});
  for (std::size_t k = 0; k < inner.size(); k += 3) std::swap(inner[k], inner[k + 1]);
  corners.insert(corners.end(), inner.begin(), inner.end());
  EXPECT_NEAR(solid_of(corners).volume, 26, 1e-13);
}

TEST(Mesh, WhatEnclosesNothingIsRefused) {
  Corners corners = box_corners({0, 0, 0}, {1, 1, 1});
  Corners open(corners.begin() + 3, corners.end());
  EXPECT_NE(refusal_of(open).find("is open: 3 of its edges"), std::string::npos);
  Corners twisted = corners;
  std::swap(twisted[0], twisted[1]);
  EXPECT_NE(refusal_of(twisted).find("do not agree on what is outside: 3 edges"),
            std::string::npos);
  for (std::size_t k = 0; k < corners.size(); k += 3) std::swap(corners[k], corners[k + 1]);
  EXPECT_NE(refusal_of(corners).find("point inwards"), std::string::npos);
  const Vec3<double> o, x{1, 0, 0}, y{0, 1, 0};
  EXPECT_NE(refusal_of({o, x, y, o, y, x}).find("no volume"), std::string::npos);
  EXPECT_NE(refusal_of({}).find("no faces"), std::string::npos);
}

TEST(MeshFile, TextAndBytesOfStlAreTheSame) {
  std::string problem;
  const Corners corners = box_corners({-0.5, -1, -2}, {0.5, 1, 2});
  for (const std::string& content : {stl_text(corners), stl_bytes(corners)}) {
    const auto mesh = parse_stl(content, problem);
    ASSERT_TRUE(mesh) << problem;
    EXPECT_EQ(mesh->vertices.size(), 8u);
    EXPECT_EQ(mesh->triangles.size(), 12u);
    MeshSolid solid;
    EXPECT_EQ(calc_mesh_solid(*mesh, solid), "");
    EXPECT_DOUBLE_EQ(solid.volume, 8);
  }
  // a binary file whose head begins like a text
  std::string head = stl_bytes(corners);
  head.replace(0, 5, "solid");
  EXPECT_TRUE(parse_stl(head, problem)) << problem;
}

TEST(MeshFile, PolygonsOfObj) {
  std::string problem;
  const auto mesh = parse_obj(
      "# a box\r\nmtllib box.mtl\no box\nv 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 3 1\nv 1 0 3 "
      "0.5 "
      "0.5 0.5\nv 1 2 3\nv 0 2 3\nvt 0 0\nvn 0 0 1\ns off\nusemtl grey\nf 1/1/1 4/1/1 3/1/1 2/1/1\n"
      "f -4 -3 -2 \\\n -1\nf 1//1 2//1 6//1 5//1\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n",
      problem);
  ASSERT_TRUE(mesh) << problem;
  MeshSolid solid;
  EXPECT_EQ(calc_mesh_solid(*mesh, solid), "");
  EXPECT_DOUBLE_EQ(solid.volume, 6);
}

TEST(MeshFile, WrongFilesAreToldWithTheirPlace) {
  const auto stl = [](const std::string& text) {
    std::string problem;
    EXPECT_FALSE(parse_stl(text, problem));
    return problem;
  };
  const auto obj = [](const std::string& text) {
    std::string problem;
    EXPECT_FALSE(parse_obj(text, problem));
    return problem;
  };
  const std::string bytes = stl_bytes(box_corners({0, 0, 0}, {1, 1, 1}));
  EXPECT_NE(stl("").find("no STL"), std::string::npos);
  EXPECT_NE(stl(bytes.substr(0, 300)).find("12 triangles has 684 bytes, this one 300"),
            std::string::npos);
  EXPECT_NE(stl("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 up\n")
                .find("line 4: expected a number, got 'up'"),
            std::string::npos);
  EXPECT_NE(stl("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0").find("the end of the text"),
            std::string::npos);
  EXPECT_NE(stl("solid x\nvertex 1 2 3\n").find("line 2: expected 'facet'"), std::string::npos);
  EXPECT_NE(stl("solid x\nendsolid x\n").find("no triangles"), std::string::npos);
  std::string infinite = bytes;
  const float big = INFINITY;
  std::memcpy(infinite.data() + 84 + 12, &big, sizeof big);
  EXPECT_NE(stl(infinite).find("facet 1"), std::string::npos);
  std::string many = bytes.substr(0, 84);
  const std::uint32_t count = 0xFFFFFFFFu;
  std::memcpy(many.data() + 80, &count, sizeof count);
  EXPECT_NE(stl(many).find("bytes, this one 84"), std::string::npos);

  EXPECT_NE(obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n").find("line 4"), std::string::npos);
  EXPECT_NE(obj("v 0 0 0\nf 1 1\n").find("a face with 2 corners"), std::string::npos);
  EXPECT_NE(obj("v 0 0 1e99\n").find("line 1"), std::string::npos);
  EXPECT_NE(obj("v 0 0\nv 1 2 3\n").find("line 1"), std::string::npos);
  EXPECT_NE(obj("cstype bezier\n").find("'cstype'"), std::string::npos);
  EXPECT_NE(obj("f 9223372036854775808 1 2\n").find("line 1"), std::string::npos);
}

// Whatever the bytes: a mesh whose corners are there, or a sentence.
void run_mesh_campaign(unsigned seed, int cases) {
  TextMutator mutator(seed);
  const Corners box = box_corners({0, 0, 0}, {1, 2, 3});
  const std::vector<std::string> seeds = {
      stl_text(box), stl_bytes(box),
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1/2/3 3 2\nf 1 2 4\nf -4 -1 -2\nf 2//1 3//1 4//1\n"};
  int read = 0, closed = 0;
  for (int i = 0; i < cases; ++i) {
    const std::size_t which = mutator.below(seeds.size());
    std::string bytes = seeds[which], problem;
    for (std::size_t changes = 1 + mutator.below(3); changes > 0; --changes) {
      if (which == 1)  // as many bytes as before, or the file is refused at once
        bytes[mutator.below(bytes.size())] = static_cast<char>(mutator.below(256));
      else
        mutator.chance(2) ? mutator.damage(bytes, seeds) : mutator.disturb(bytes);
    }
    const auto mesh = which == 2 ? parse_obj(bytes, problem) : parse_stl(bytes, problem);
    ASSERT_EQ(mesh == nullptr, !problem.empty()) << bytes;
    if (!mesh) continue;
    ++read;
    for (const auto& triangle : mesh->triangles)
      for (int corner : triangle)
        ASSERT_TRUE(corner >= 0 && corner < static_cast<int>(mesh->vertices.size()));
    MeshSolid solid;
    if (!calc_mesh_solid(*mesh, solid).empty()) continue;
    ++closed;
    ASSERT_GT(solid.volume, 0);
    for (double x : solid.second) ASSERT_TRUE(std::isfinite(x));
  }
  EXPECT_GT(read, cases / 20);
  EXPECT_GT(closed, cases / 100);
  EXPECT_LT(read, cases);
}

TEST(MeshFuzz, EndsWithAMeshOrASentence) {
  run_mesh_campaign(1, 300);
}
TEST(LongMeshFuzz, EndsWithAMeshOrASentence) {
  run_mesh_campaign(2, 100000);
}

// ------------------------------------------------------------------------------- in a model file

struct InFolder {
  WorkFolder folder;
  std::string problems;

  std::optional<Model> load(const std::string& body, const Consent& consent = {}) {
    Diagnostics diagnostics("model.toml");
    const auto text =
        read_model_text("[parameters]\np = 2\n[[body]]\nname = \"a\"\n" + body +
                            "\n[[joint]]\nname = \"j\"\ntype = \"free\"\nparent = { body = "
                            "\"world\" }\nchild = { body = \"a\" }\n",
                        folder.path().string(), diagnostics);
    std::optional<Model> model;
    if (text) model = check_model(*text, diagnostics, {}, consent);
    problems = diagnostics.text();
    return model;
  }
  MassProperties<double> mass_of(const std::string& shapes) {
    const std::optional<Model> model = load("density = 3\nshape = " + shapes);
    EXPECT_TRUE(model) << problems;
    if (!model) return {};
    return calc_mass_properties<double>(model->bodies[0], parameter_values(*model));
  }
};

void expect_equal_mass(const MassProperties<double>& a, const MassProperties<double>& b) {
  EXPECT_NEAR(a.mass, b.mass, 1e-12 * b.mass);
  EXPECT_NEAR(norm(a.com - b.com), 0, 1e-13);
  const double da[] = {a.inertia.xx, a.inertia.yy, a.inertia.zz,
                       a.inertia.xy, a.inertia.xz, a.inertia.yz};
  const double db[] = {b.inertia.xx, b.inertia.yy, b.inertia.zz,
                       b.inertia.xy, b.inertia.xz, b.inertia.yz};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(da[k], db[k], 1e-12 * b.inertia.xx) << k;
}

TEST(MeshShape, ScaledTurnedMirroredIsTheBox) {
  InFolder model;
  model.folder.write("cube.stl", stl_bytes(box_corners({0, 0, 0}, {1, 1, 1})));
  const std::string turned = "rotate = { rpy = [0.3, -0.4, 0.9] }";
  expect_equal_mass(model.mass_of("{ mesh = \"cube.stl\" }"),
                    model.mass_of("{ box = [1, 1, 1], at = [0.5, 0.5, 0.5] }"));
  expect_equal_mass(
      model.mass_of("{ mesh = \"cube.stl\", scale = [2, \"p/4\", -3], at = [-1, -0.25, 1.5] }"),
      model.mass_of("{ box = [2, 0.5, 3] }"));
  // the centre of the scaled cube, turned, is brought back to the origin by a shape in a shape
  const MassProperties<double> a =
      model.mass_of("{ mesh = \"cube.stl\", scale = 2, " + turned + " }");
  const MassProperties<double> b = model.mass_of("{ box = [2, 2, 2], " + turned + " }");
  EXPECT_NEAR(a.mass, b.mass, 1e-12);
  EXPECT_NEAR(norm(a.com), std::sqrt(3.0), 1e-13);
  EXPECT_NEAR(a.inertia.xy, b.inertia.xy, 1e-12);
}

TEST(MeshShape, DerivativesByParametersAreThoseOfTheBox) {
  InFolder model;
  model.folder.write("cube.stl", stl_bytes(box_corners({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5})));
  const auto slope = [&](const std::string& shape) {
    const std::optional<Model> m = model.load("density = 3\nshape = " + shape);
    std::vector<Dual4> p = {Dual4(2)};
    p[0].d[0] = 1;
    return calc_mass_properties<Dual4>(m.value().bodies[0], p).inertia.xx.d[0];
  };
  const double expected = slope("{ box = [\"p\", \"p^2\", 1] }");
  EXPECT_GT(expected, 1);
  EXPECT_NEAR(slope("{ mesh = \"cube.stl\", scale = [\"-p\", \"p^2\", 1] }"), expected,
              1e-12 * expected);
}

TEST(MeshShape, MissingOnesAreToldAndLeftOut) {
  InFolder model;
  std::optional<Model> loaded = model.load("mass = 1\nshape = { mesh = \"gone.stl\" }");
  ASSERT_TRUE(loaded) << model.problems;
  EXPECT_NE(model.problems.find("'gone.stl': there is no such file"), std::string::npos);
  EXPECT_TRUE(loaded->bodies[0].shapes.empty());
  EXPECT_TRUE(model.load("mass = 1\nshape = { mesh = \"wheel.dae\" }"));
  EXPECT_NE(model.problems.find("only STL (.stl) and OBJ (.obj)"), std::string::npos);
  EXPECT_TRUE(model.load("mass = 1\nshape = { mesh = \"package://arm/a.stl\" }"));
  EXPECT_NE(model.problems.find("package arm=DIR"), std::string::npos);
  EXPECT_FALSE(model.load("density = 1\nshape = { mesh = \"gone.stl\" }"));
}

TEST(MeshShape, WrongOnesAreRefused) {
  InFolder model;
  Corners open = box_corners({0, 0, 0}, {1, 1, 1});
  open.resize(33);
  model.folder.write("open.stl", stl_bytes(open));
  model.folder.write("broken.stl", "solid\nfacet\n");
  EXPECT_TRUE(model.load("mass = 1\nshape = { mesh = \"open.stl\" }")) << model.problems;
  EXPECT_FALSE(model.load("density = 1\nshape = { mesh = \"open.stl\" }"));
  EXPECT_NE(model.problems.find("its surface is open"), std::string::npos) << model.problems;
  EXPECT_FALSE(model.load("mass = 1\nshape = { mesh = \"broken.stl\" }"));
  EXPECT_NE(model.problems.find("expected 'normal'"), std::string::npos) << model.problems;
  EXPECT_FALSE(model.load("mass = 1\nshape = { mesh = \"open.stl\", scale = 0 }"));
  EXPECT_FALSE(model.load("mass = 1\nshape = { box = [1, 1, 1], scale = 2 }"));
  EXPECT_FALSE(model.load("mass = 1\nshape = { mesh = 3 }"));
  EXPECT_FALSE(model.load("mass = 1\nshape = { mesh = \"\" }"));
}

TEST(MeshShape, PathsStayInTheFolderAndInPackages) {
  InFolder model, other;
  other.folder.write("cube.stl", stl_bytes(box_corners({0, 0, 0}, {1, 1, 1})));
  const std::string place = other.folder.path().string();
  const std::string shape = "mass = 1\nshape = { mesh = \"" + place + "/cube.stl\" }";
  EXPECT_TRUE(model.load(shape)) << "a picture; told";
  EXPECT_NE(model.problems.find(consent_phrase), std::string::npos) << model.problems;
  EXPECT_FALSE(model.load("density = 1\nshape = { mesh = \"" + place + "/cube.stl\" }"));
  EXPECT_NE(model.problems.find(consent_phrase), std::string::npos) << model.problems;
  Consent allowed;
  allowed.folders = {place};
  EXPECT_TRUE(model.load(shape, allowed)) << model.problems;
  Consent package;
  package.packages = {{"arm", place}};
  EXPECT_TRUE(model.load("density = 1\nshape = { mesh = \"package://arm/cube.stl\" }", package))
      << model.problems;
  const std::string out = "package://arm/../" + model.folder.path().filename().string() + "/x.stl";
  EXPECT_FALSE(other.load("density = 1\nshape = { mesh = \"" + out + "\" }", package));
  EXPECT_NE(other.problems.find(consent_phrase), std::string::npos) << other.problems;
  EXPECT_FALSE(model.load("density = 1\nshape = { mesh = \"../../../etc/x.stl\" }"));
  EXPECT_NE(model.problems.find(consent_phrase), std::string::npos);
}

}  // namespace
}  // namespace cartan::test
