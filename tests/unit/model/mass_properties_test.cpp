#include "model/mass_properties.h"

#include <gtest/gtest.h>

#include "unit/io/model_files.h"

namespace cartan::test {
namespace {

Model with_shapes(const std::string& shapes) {
  const Loaded loaded = load_model_text(
      "[parameters]\np = 2\n[[body]]\nname = \"a\"\ndensity = 3\nshape = " + shapes +
      "\n[[joint]]\nname = \"j\"\ntype = \"free\"\nparent = { body = \"world\" }\nchild "
      "= { body = \"a\" }\n");
  if (!loaded.model) throw std::runtime_error(loaded.problems.text());
  return *loaded.model;
}
MassProperties<double> of(const std::string& shapes) {
  const Model model = with_shapes(shapes);
  return calc_mass_properties<double>(model.bodies[0], parameter_values(model));
}

void expect_near(const Sym3<double>& a, const Sym3<double>& b, double tolerance) {
  EXPECT_NEAR(a.xx, b.xx, tolerance);
  EXPECT_NEAR(a.yy, b.yy, tolerance);
  EXPECT_NEAR(a.zz, b.zz, tolerance);
  EXPECT_NEAR(a.xy, b.xy, tolerance);
  EXPECT_NEAR(a.xz, b.xz, tolerance);
  EXPECT_NEAR(a.yz, b.yz, tolerance);
}

TEST(MassProperties, SimpleShapes) {
  const MassProperties<double> box = of("{ box = [1, \"p\", 3] }");
  EXPECT_NEAR(box.mass, 18, 1e-13);
  expect_near(box.inertia, Sym3<double>::diagonal(1.5 * 13, 1.5 * 10, 1.5 * 5), 1e-13);
  const MassProperties<double> cylinder = of("{ cylinder = [2, 5] }");
  EXPECT_NEAR(cylinder.mass, 60 * pi, 1e-12);
  expect_near(cylinder.inertia, Sym3<double>::diagonal(185 * pi, 185 * pi, 120 * pi), 1e-11);
  const MassProperties<double> sphere = of("{ sphere = 2 }");
  EXPECT_NEAR(sphere.mass, 32 * pi, 1e-12);
  EXPECT_NEAR(sphere.inertia.yy, 0.4 * 32 * pi * 4, 1e-11);
}

// A body cut into pieces has the same properties as the whole.
TEST(MassProperties, PiecesMakeTheWhole) {
  const MassProperties<double> whole = of("{ box = [1, 2, 4], at = [0.1, 0.2, 0.3] }");
  const MassProperties<double> halves =
      of("[{ box = [1, 2, 1], at = [0.1, 0.2, -1.2] }, { box = [1, 2, 3], at = [0.1, 0.2, 0.8] }]");
  EXPECT_NEAR(halves.mass, whole.mass, 1e-13);
  EXPECT_NEAR(halves.com.z, 0.3, 1e-14);
  expect_near(halves.inertia, whole.inertia, 1e-12);
  const MassProperties<double> solid = of("{ cylinder = [2, 5] }");
  const MassProperties<double> shells = of("[{ cylinder = [1, 5] }, { tube = [1, 2, 5] }]");
  EXPECT_NEAR(shells.mass, solid.mass, 1e-12);
  expect_near(shells.inertia, solid.inertia, 1e-11);
}

TEST(MassProperties, ATurnedShapeIsTheShapeWithOtherSides) {
  expect_near(of("{ box = [1, 2, 4], rotate = { axis = [0, 0, 3], angle = \"pi/2\" } }").inertia,
              of("{ box = [2, 1, 4] }").inertia, 1e-13);
  expect_near(of("{ box = [1, 2, 4], rotate = { rpy = [\"pi/2\", 0, 0] } }").inertia,
              of("{ box = [1, 4, 2] }").inertia, 1e-13);
  const Sym3<double> slanted =
      of("{ box = [1, 2, 4], rotate = { axis = [0, 0, 1], angle = \"pi/4\" } }").inertia;
  EXPECT_GT(std::abs(slanted.xy), 1);  // the shorter side now lies along (1, 1, 0)
}

TEST(MassProperties, DerivativesByParameters) {
  const Model model = with_shapes("{ sphere = \"p\", at = [\"p^2\", 0, 0] }");
  const std::vector<Dual4> p = {Dual4::variable(2, 0)};
  const MassProperties<Dual4> m = calc_mass_properties<Dual4>(model.bodies[0], p);
  EXPECT_NEAR(m.mass.d[0], 3 * 4 * pi * 4, 1e-11);
  EXPECT_NEAR(m.com.x.d[0], 4, 1e-13);
}

TEST(Rotations, RollPitchYawIsZYX) {
  Rotation r;
  r.kind = RotationText::Kind::rpy;
  const double angles[] = {0.3, -0.4, 0.5};
  r.values.program = constant_program(angles);
  const Mat3<double> m = calc_rotation<double>(r, {});
  const double cr = std::cos(0.3), sr = std::sin(0.3), cp = std::cos(-0.4), sp = std::sin(-0.4),
               cy = std::cos(0.5), sy = std::sin(0.5);
  EXPECT_NEAR(m(0, 0), cy * cp, 1e-15);
  EXPECT_NEAR(m(0, 1), cy * sp * sr - sy * cr, 1e-15);
  EXPECT_NEAR(m(2, 0), -sp, 1e-15);
  EXPECT_NEAR(m(2, 1), cp * sr, 1e-15);
}

}  // namespace
}  // namespace cartan::test
