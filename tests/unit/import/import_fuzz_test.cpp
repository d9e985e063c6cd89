// Mutated files of other tools: whatever the text, importing ends soon with a model or findings.
#include <chrono>

#include "support/text_mutator.h"
#include "unit/import/imports.h"

namespace cartan::test {
namespace {

const std::vector<std::string>& seeds_of(const std::string& format) {
  static const std::vector<std::string> urdf = {
      "<robot name='r'>\n<link name='world'/>\n<link name='a'>\n<inertial>\n<origin xyz='0 0 1' "
      "rpy='1 2 3'/>\n<mass value='2'/>\n<inertia ixx='1' iyy='1' izz='1' ixy='0.1'/>\n"
      "</inertial>\n<visual><geometry><box size='1 2 3'/></geometry></visual>\n</link>\n"
      "<link name='b'><inertial><mass value='1'/></inertial></link>\n"
      "<joint name='j' type='revolute'>\n<origin xyz='0 0 1'/>\n<axis xyz='0 1 0'/>\n"
      "<parent link='world'/>\n<child link='a'/>\n<dynamics damping='1' friction='0.1'/>\n"
      "<limit lower='-1' upper='1'/>\n</joint>\n<joint name='k' type='prismatic'>\n"
      "<parent link='a'/>\n<child link='b'/>\n<mimic joint='j' multiplier='2'/>\n</joint>\n"
      "</robot>\n"};
  static const std::vector<std::string> mjcf = {
      "<mujoco model='m'>\n<compiler angle='radian' eulerseq='zyx'/>\n<option gravity='0 0 -9'/>\n"
      "<default><joint damping='1'/><default class='c'><geom type='capsule' size='0.1 0.2'/>"
      "</default></default>\n<worldbody>\n<site name='w'/>\n<body name='a' pos='0 0 1' "
      "euler='1 2 3' childclass='c'>\n<joint name='x' type='slide' ref='1'/>\n<joint name='y' "
      "type='ball'/>\n<geom fromto='0 0 0 1 0 0'/>\n<body name='b' quat='1 0 0 1'>\n"
      "<inertial pos='0 0 1' mass='1' fullinertia='1 1 1 0 0 0'/>\n<joint name='z' "
      "stiffness='3'/>\n<site name='s'/>\n</body>\n</body>\n<replicate count='3' offset='1 0 0'>\n"
      "<body name='r'><freejoint/><geom type='box' size='1 1 1'/></body>\n</replicate>\n"
      "</worldbody>\n<equality>\n<connect body1='b' anchor='0 0 1'/>\n<joint joint1='x' "
      "joint2='z' polycoef='0 2'/>\n</equality>\n<tendon><fixed name='t' stiffness='1'><joint "
      "joint='x' coef='2'/></fixed></tendon>\n<actuator>\n<motor joint='z' gear='3'/>\n<position "
      "tendon='t' kp='4'/>\n<general site='s' gear='0 0 1 0 0 0'/>\n</actuator>\n<keyframe><key "
      "qpos='1 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0'/></keyframe>\n</mujoco>\n",
      "<mujoco>\n<asset>\n<mesh name='h' inertia='convex' vertex='0 0 0 1 0 0 0 1 0 0 0 1 1 1 "
      "1'/>\n"
      "<mesh name='s' inertia='shell' scale='1 2 1' vertex='0 0 0 1 0 0 0 1 0 0 0 1' "
      "face='0 1 2 0 2 3'/>\n</asset>\n<worldbody>\n<body name='a'>\n<joint name='x' "
      "armature='0.1'/>\n<geom type='mesh' mesh='h'/>\n<body name='b'>\n<joint name='y' "
      "type='ball' armature='0.2'/>\n<geom type='mesh' mesh='s' mass='1'/>\n<geom type='cylinder' "
      "size='0.1 0.2' shellinertia='true'/>\n</body>\n</body>\n<body name='c'>\n<joint "
      "name='z'/>\n<geom size='0.1'/>\n</body>\n</worldbody>\n<equality>\n<joint joint1='x' "
      "joint2='z' polycoef='0 2 0.5 0 1'/>\n</equality>\n</mujoco>\n"};
  static const std::vector<std::string> sdf = {
      "<sdf version='1.9'>\n<world name='w'>\n<gravity>0 0 -9</gravity>\n<model name='m'>\n"
      "<pose>1 2 3 0 0 0</pose>\n<frame name='f' attached_to='a'><pose>0 0 1 0 0 0</pose></frame>\n"
      "<link name='a'>\n<pose>0 0 1 0 1 0</pose>\n<inertial><mass>2</mass><inertia><ixx>1</ixx>"
      "</inertia></inertial>\n<visual name='v'><geometry><sphere><radius>1</radius></sphere>"
      "</geometry></visual>\n</link>\n<link name='b'>\n<pose relative_to='f'/>\n</link>\n"
      "<joint name='j' type='revolute'>\n<parent>world</parent>\n<child>a</child>\n<axis>\n"
      "<xyz expressed_in='f'>0 1 0</xyz>\n<dynamics><damping>1</damping></dynamics>\n</axis>\n"
      "</joint>\n<joint name='k' type='universal'>\n<parent>a</parent>\n<child>b</child>\n"
      "<axis><xyz>1 0 0</xyz></axis>\n<axis2><xyz>0 1 0</xyz></axis2>\n</joint>\n</model>\n"
      "</world>\n</sdf>\n"};
  return format == "urdf" ? urdf : format == "mjcf" ? mjcf : sdf;
}

void run_import_campaign(const std::string& format, unsigned seed, int cases) {
  using Clock = std::chrono::steady_clock;
  TextMutator mutator(seed);
  const auto& seeds = seeds_of(format);
  int accepted = 0;
  const auto begin = Clock::now();
  for (int i = 0; i < cases; ++i) {
    std::string text = mutator.pick(seeds);
    for (std::size_t changes = 1 + mutator.below(4); changes > 0; --changes)
      mutator.chance(3) ? mutator.damage(text, seeds) : mutator.disturb(text);
    Imported imported = import_xml(text);
    ASSERT_EQ(imported.model.has_value(), !imported.problems.has_errors()) << text;
    if (!imported.model) continue;
    const auto description = describe_import(*imported.model, "model.xml", imported.problems);
    ASSERT_TRUE(description) << text << imported.model->text;
    accepted += check_model(*description, imported.problems).has_value();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  EXPECT_LT(seconds / cases, 0.05);
  EXPECT_GT(accepted, cases / 100);
  EXPECT_LT(accepted, cases);
}

TEST(ImportFuzz, Seeds) {
  for (const char* format : {"urdf", "mjcf", "sdf"})
    for (const std::string& seed : seeds_of(format)) {
      Imported imported = import_xml(seed);
      EXPECT_TRUE(imported.model) << imported.problems.text();
    }
}
TEST(ImportFuzz, Urdf) {
  run_import_campaign("urdf", 1, 400);
}
TEST(ImportFuzz, Mjcf) {
  run_import_campaign("mjcf", 2, 400);
}
TEST(ImportFuzz, Sdf) {
  run_import_campaign("sdf", 3, 400);
}
TEST(LongImportFuzz, Urdf) {
  run_import_campaign("urdf", 4, 100000);
}
TEST(LongImportFuzz, Mjcf) {
  run_import_campaign("mjcf", 5, 100000);
}
TEST(LongImportFuzz, Sdf) {
  run_import_campaign("sdf", 6, 100000);
}

}  // namespace
}  // namespace cartan::test
