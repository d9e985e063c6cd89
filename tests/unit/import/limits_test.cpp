// Limits of joints as stops, and meshes: what is written, and what is told.
#include "unit/codegen/work_folder.h"
#include "unit/import/imports.h"

namespace cartan::test {
namespace {

const std::string link_a = "<link name='a'><inertial><mass value='1'/></inertial></link>";
const std::string link_b = "<link name='b'><inertial><mass value='1'/></inertial></link>";

std::string urdf_limit(const std::string& type, const std::string& limit) {
  return robot("<link name='world'/>" + link_a + "<joint name='j' type='" + type +
               "'><parent link='world'/><child link='a'/>" + limit + "</joint>");
}

int notes_about(const Imported& imported, const std::string& text) {
  int count = 0;
  for (const ImportReport::Note& note : imported.model->report.notes)
    count += note.text.find(text) != std::string::npos;
  return count;
}

TEST(Limits, OfUrdfAreStops) {
  const auto both = expect_import(urdf_limit("prismatic", "<limit lower='-0.5' upper='0.75'/>"));
  EXPECT_TRUE(both.says("stop = { lower = -0.5, upper = 0.75 }")) << both.model->text;
  EXPECT_EQ(both.carried("joint limits"), 1);
  // a bound that is not written is zero
  EXPECT_TRUE(expect_import(urdf_limit("revolute", "<limit upper='1'/>"))
                  .says("stop = { lower = 0, upper = 1 }"));
  for (const char* none :
       {"<limit effort='3' velocity='1'/>", "<limit lower='-inf' upper='1e16'/>"})
    EXPECT_FALSE(expect_import(urdf_limit("revolute", none)).says("stop =")) << none;
  EXPECT_FALSE(
      expect_import(urdf_limit("continuous", "<limit lower='-1' upper='1'/>")).says("stop ="));
}

TEST(Limits, WithoutRoomAreTold) {
  const auto imported = expect_import(urdf_limit("revolute", "<limit lower='0' upper='-1'/>"));
  EXPECT_FALSE(imported.says("stop ="));
  EXPECT_EQ(imported.left("joint limits that leave no room"), 1);
}

TEST(Limits, AreLeftOutOnRequest) {
  ImportOptions options;
  options.limits = false;
  const auto imported =
      expect_import(urdf_limit("revolute", "<limit lower='-1' upper='1'/>"), options);
  EXPECT_FALSE(imported.says("stop ="));
  EXPECT_EQ(imported.left("joint limits"), 1);
}

TEST(Limits, ThatExcludeTheDrawnPoseMoveTheStart) {
  const auto imported = expect_import(urdf_limit("revolute", "<limit lower='0.25' upper='1'/>"));
  EXPECT_TRUE(imported.says("position = 0.25")) << imported.model->text;
  EXPECT_EQ(notes_about(imported, "'j' starts at its limit 0.25"), 1);
  EXPECT_EQ(notes_about(expect_import(urdf_limit("revolute", "<limit lower='-1' upper='1'/>")),
                        "starts at its limit"),
            0);
}

// b = -2 a + 0.5 within [-1, 1] is a within [-0.25, 0.75]; with a's own [-0.1, 2]: [-0.1, 0.75].
TEST(Limits, OfAFollowerCountForItsLeader) {
  const auto imported = expect_import(robot(
      "<link name='world'/>" + link_a + link_b +
      "<joint name='ja' type='revolute'><parent link='world'/><child link='a'/>"
      "<limit lower='-0.1' upper='2'/></joint>"
      "<joint name='jb' type='revolute'><parent link='a'/><child link='b'/>"
      "<limit lower='-1' upper='1'/><mimic joint='ja' multiplier='-2' offset='0.5'/></joint>"));
  EXPECT_TRUE(imported.says("stop = { lower = -0.1, upper = 0.75 }")) << imported.model->text;
  EXPECT_EQ(imported.model->text.find("stop =", imported.model->text.find("name = \"jb\"")),
            std::string::npos);
}

std::string hinge(const std::string& attributes, const std::string& more = "") {
  return mujoco("<body><joint name='j' " + attributes +
                    "/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>",
                more);
}

TEST(Limits, OfMjcfAreDegreesOfQposUnlessSaidOtherwise) {
  const auto degrees = expect_import(hinge("range='-90 180' ref='45'"));
  EXPECT_TRUE(degrees.says("lower = -2.35619449")) << degrees.model->text;
  EXPECT_TRUE(degrees.says("upper = 2.35619449"));
  EXPECT_EQ(notes_about(degrees, "give way"), 1);
  EXPECT_TRUE(expect_import(hinge("range='-1 2'", "<compiler angle='radian'/>"))
                  .says("stop = { lower = -1, upper = 2 }"));
  EXPECT_TRUE(
      expect_import(hinge("type='slide' range='-1 2'")).says("stop = { lower = -1, upper = 2 }"));
}

TEST(Limits, OfMjcfCountWhereTheyAreOn) {
  EXPECT_FALSE(expect_import(hinge("range='-1 2' limited='false'")).says("stop ="));
  EXPECT_FALSE(
      expect_import(hinge("range='-1 2'", "<compiler autolimits='false'/>")).says("stop ="));
  EXPECT_TRUE(expect_import(hinge("range='-1 2' limited='true'", "<compiler autolimits='false'/>"))
                  .says("stop ="));
  EXPECT_FALSE(expect_import(hinge("range='-1 2'", "<option><flag limit='disable'/></option>"))
                   .says("stop ="));
  const auto ball = expect_import(hinge("type='ball' range='0 30'"));
  EXPECT_FALSE(ball.says("stop ="));
  EXPECT_EQ(ball.left("limits of ball joints"), 1);
}

TEST(Limits, OfSdfPerAxis) {
  const std::string ends = "<parent>world</parent><child>a</child>";
  const auto limit = [](const std::string& lower, const std::string& upper) {
    return "<limit><lower>" + lower + "</lower><upper>" + upper + "</upper></limit>";
  };
  EXPECT_TRUE(
      expect_import(sdf("<link name='a'/><joint name='j' type='revolute'>" + ends +
                        "<axis><xyz>0 0 1</xyz>" + limit("-0.5", "1e16") + "</axis></joint>"))
          .says("stop = { lower = -0.5 }"));
  EXPECT_TRUE(expect_import(sdf("<link name='a'/><joint name='j' type='universal'>" + ends +
                                "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 0</xyz>" +
                                limit("-inf", "0.5") + "</axis2></joint>"))
                  .says("stop = [{}, { upper = 0.5 }]"));
  const auto two = expect_import(sdf(
      "<link name='a'/><joint name='j' type='revolute2'>" + ends + "<axis><xyz>0 0 1</xyz>" +
      limit("-1", "1") + "</axis><axis2><xyz>0 1 0</xyz>" + limit("-2", "2") + "</axis2></joint>"));
  EXPECT_TRUE(two.says("lower = -1, upper = 1")) << two.model->text;
  EXPECT_TRUE(two.says("lower = -2, upper = 2"));
}

// ------------------------------------------------------------------------------------------ meshes

const char* const tetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

struct MeshImport {
  WorkFolder folder;
  MeshImport() {
    std::filesystem::create_directory(folder.path() / "meshes");
    folder.write("meshes/part.obj", tetrahedron);
  }
  Imported read(const std::string& xml, ImportOptions options = {}) {
    Imported result = import_xml(xml, options, (folder.path() / "model.xml").string());
    EXPECT_TRUE(result.model) << result.problems.text();
    if (!result.model) result.model.emplace();
    return result;
  }
};

std::string urdf_mesh(const std::string& file, const std::string& more = "") {
  return robot(
      "<link name='a'><inertial><mass value='1'/></inertial><visual><origin xyz='1 0 0'/>"
      "<geometry><mesh filename='" +
      file + "' " + more + "/></geometry></visual></link>");
}

TEST(ImportedMeshes, OfUrdfByPathAndPackage) {
  MeshImport model;
  EXPECT_TRUE(model.read(urdf_mesh("meshes/part.obj", "scale='0.5 0.5 -1'"))
                  .says("{ mesh = \"meshes/part.obj\", scale = [0.5, 0.5, -1], at = [1, 0, 0] }"));
  const auto unknown = model.read(urdf_mesh("package://arm/part.obj"));
  EXPECT_EQ(unknown.left("meshes of packages"), 1);
  ImportOptions options;
  options.packages = {{"arm", (model.folder.path() / "meshes").string()}};
  EXPECT_TRUE(model.read(urdf_mesh("package://arm/part.obj"), options)
                  .says("mesh = \"package://arm/part.obj\""));
  // written elsewhere, the path leads back
  options.text_folder = (model.folder.path() / "out").string();
  EXPECT_TRUE(
      model.read(urdf_mesh("meshes/part.obj"), options).says("mesh = \"../meshes/part.obj\""));
}

TEST(ImportedMeshes, WhatCannotBeShownIsTold) {
  MeshImport model;
  model.folder.write("broken.stl", "solid x\nfacet\n");
  EXPECT_EQ(model.read(urdf_mesh("gone.stl")).left("meshes that are not there"), 1);
  EXPECT_EQ(model.read(urdf_mesh("a.dae")).left("meshes in other formats than STL and OBJ"), 1);
  EXPECT_EQ(model.read(urdf_mesh("broken.stl")).left("meshes that cannot be read"), 1);
  EXPECT_EQ(model.read(urdf_mesh("../x.stl")).left("meshes outside the folder of the model"), 1);
}

TEST(ImportedMeshes, OfMjcfWithFolderScaleAndReference) {
  MeshImport model;
  const auto imported = model.read(
      mujoco("<body><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
             "<geom type='mesh' mesh='part' pos='0 0 1'/></body>",
             "<compiler meshdir='meshes'/><default><mesh scale='2 2 2'/></default>"
             "<asset><mesh file='part.obj' refpos='1 0 0'/><texture name='t'/></asset>"));
  EXPECT_TRUE(imported.says("{ mesh = \"meshes/part.obj\", scale = 2, at = [-2, 0, 1] }"))
      << imported.model->text;
}

// Density 600 on the scaled tetrahedron: volume 8/6, centre 1/2; the moments follow from 1/160 and
// -1/480 times 32.
TEST(ImportedMeshes, OfMjcfGiveMass) {
  MeshImport model;
  const std::string text =
      mujoco("<body><freejoint/><geom type='mesh' mesh='part' density='600'/></body>",
             "<asset><mesh name='part' file='meshes/part.obj' scale='2 2 2' inertia='exact'/>"
             "</asset>");
  const auto imported = model.read(text);
  EXPECT_EQ(imported.carried("inertias from meshes"), 1);
  Diagnostics problems("model");
  const auto description = describe_import(*imported.model, "model.xml", problems);
  ASSERT_TRUE(description) << problems.text();
  const auto& body = description->bodies.at(0);
  ASSERT_EQ(body.inertia.size(), 6u) << imported.model->text;
  EXPECT_NEAR(body.mass->number, 800, 1e-10);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(body.com[k].number, 0.5, 1e-14);
    EXPECT_NEAR(body.inertia[k].number, 600 * 32 * 2 / 160.0, 1e-10);
    EXPECT_NEAR(body.inertia[3 + k].number, 600 * 32 / 480.0, 1e-10);
  }
}

TEST(ImportedMeshes, OfSdf) {
  MeshImport model;
  const auto imported =
      model.read(sdf("<link name='a'><visual name='v'><geometry><mesh><uri>meshes/part.obj</uri>"
                     "<scale>1 2 1</scale></mesh></geometry></visual></link>"));
  EXPECT_TRUE(imported.says("{ mesh = \"meshes/part.obj\", scale = [1, 2, 1] }"))
      << imported.model->text;
}

}  // namespace
}  // namespace cartan::test
