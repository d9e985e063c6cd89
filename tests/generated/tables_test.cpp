// What comes with the code of a model: initial state, parameter values, flags of events, places of
// bodies and joints; and the same code without common subexpressions.
#include <fmt/format.h>

#include <cmath>

#include "core/child_process.h"
#include "core/compiled_library.h"
#include "generated/example_units.h"
#include "model/mass_properties.h"
#include "results/code/generate.h"
#include "results/refusal.h"
#include "support/interpreters.h"
#include "unit/codegen/work_folder.h"

namespace cartan::test {
namespace {

GeneratedModel generate_example(const std::string& name, api::GenerateOptions options) {
  ModelArguments arguments;
  arguments.path = std::string(CARTAN_ROOT) + "/examples/" + name + ".toml";
  arguments.quiet = true;
  options.name = "unit";
  return generate_model(arguments, options);
}

std::shared_ptr<const CompiledLibrary> compile_c(const GeneratedModel& generated,
                                                 const WorkFolder& folder) {
  CompileOptions options;
  options.flags = {"-O0", "-Wall", "-Werror"};
  options.cache = folder.path();
  std::string problem;
  auto library = CompiledLibrary::compile(generated.files[0].text, options, problem);
  EXPECT_TRUE(library) << problem;
  return library;
}

// A program with nothing but the code starts where the model does.
TEST(GeneratedTables, StartParametersAndEvents) {
  const WorkFolder folder;
  for (const char* name : {"dc_motor_winch", "falling_ball", "four_bar"}) {
    SCOPED_TRACE(name);
    const Example example = load_example(name);
    ASSERT_TRUE(example) << example.problem;
    const Model& model = *example.model;
    const auto library = compile_c(generate_example(name, {}), folder);
    ASSERT_TRUE(library);
    const auto* x0 = library->function<const double>("unit_x0");
    const auto* p0 = library->function<const double>("unit_p0");
    ASSERT_TRUE(x0 && p0);
    const State start = example.system->initial_state();
    const std::size_t n = start.x.size() - example.system->quadratures();
    for (std::size_t k = 0; k < n; ++k) EXPECT_EQ(x0[k], start.x[k]) << k;
    std::vector<double> rate(start.x.size()), found(n);
    example.system->derivative(start, rate, *example.system->make_workspace());
    if (model.inputs.empty()) {
      using Derivative = void(double, const double*, const double*, double*);
      library->function<Derivative>("unit_derivative")(0, x0, p0, found.data());
    } else {
      using Derivative = void(double, const double*, const double*, const double*, double*);
      const auto* u0 = library->function<const double>("unit_u0");
      ASSERT_TRUE(u0);
      library->function<Derivative>("unit_derivative")(0, x0, p0, u0, found.data());
    }
    double size = 1;
    for (const double r : rate) size = std::max(size, std::fabs(r));
    for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(found[k], rate[k], 1e-10 * size) << k;
    const auto* direction = library->function<const int>("unit_event_direction");
    const auto* stop = library->function<const int>("unit_event_stop");
    const auto* names = library->function<const char* const>("unit_event_names");
    ASSERT_EQ(direction != nullptr, !model.events.empty());
    for (std::size_t k = 0; k < model.events.size(); ++k) {
      EXPECT_EQ(direction[k], model.events[k].direction);
      EXPECT_EQ(stop[k], model.events[k].stop ? 1 : 0);
      EXPECT_EQ(names[k], model.events[k].name);
    }
  }
}

TEST(GeneratedTables, InTheOtherLanguages) {
  const WorkFolder folder;
  const auto write = [&](const char* language) {
    api::GenerateOptions options;
    options.language = language;
    for (const GeneratedFile& file : generate_example("falling_ball", options).files)
      folder.write(file.name, file.text);
  };
  const std::string f = folder.path().string();
  const Example example = load_example("falling_ball");
  const double height = example.system->initial_state().x[0];
  const std::string expected = fmt::format("{} {} {}", height, example.model->events[0].direction,
                                           example.model->events[0].stop ? 1 : 0);
  if (const std::string python = python_with_numpy(); !python.empty()) {
    write("python");
    const ChildResult r = run_child(
        {python, "-c",
         "import sys; sys.path.insert(0, '" + f +
             "'); import unit; print(unit.x0[0], unit.event_direction[0], unit.event_stop[0])"});
    EXPECT_EQ(r.status, 0) << r.output();
    double x = 0;
    int direction = 9, stop = 9;
    ASSERT_EQ(std::sscanf(r.output().c_str(), "%lf %d %d", &x, &direction, &stop), 3) << r.output();
    EXPECT_EQ(fmt::format("{} {} {}", x, direction, stop), expected);
  }
  write("c++");
  folder.write("main.cpp",
               "#include \"unit.hpp\"\n#include <cstdio>\nint main() { std::printf(\"%.17g %d "
               "%d\", unit::x0[0], unit::event_direction[0], unit::event_stop[0]); }\n");
  ASSERT_EQ(run_child({"c++", "-std=c++20", "-O0", f + "/main.cpp", "-o", f + "/main"}).status, 0);
  double x = 0;
  int direction = 9, stop = 9;
  const std::string text = run_child({f + "/main"}).output();
  ASSERT_EQ(std::sscanf(text.c_str(), "%lf %d %d", &x, &direction, &stop), 3) << text;
  EXPECT_EQ(fmt::format("{} {} {}", x, direction, stop), expected);
  write("octave");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "unit_x0.m"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "unit_event_stop.m"));
}

// Written out, the code has no intermediate values and the same numbers; its length is the count of
// operations that were announced.
TEST(PlainCode, HasTheSameNumbersWithoutTemporaries) {
  const WorkFolder folder;
  for (const char* name : {"planar_double_pendulum", "duffing"}) {
    SCOPED_TRACE(name);
    api::GenerateOptions options;
    options.jacobian = true;
    const GeneratedModel shared = generate_example(name, options);
    options.plain = true;
    const GeneratedModel plain = generate_example(name, options);
    const auto temporaries = [](const std::string& text) {
      std::size_t count = 0;
      for (std::size_t at = 0; (at = text.find("const double ", at)) != std::string::npos; ++at)
        count += text.compare(at + 13, 1, "*") != 0 && text.compare(at - 2, 2, "  ") == 0;
      return count;
    };
    const std::string &a = shared.files[0].text, &b = plain.files[0].text;
    EXPECT_LT(temporaries(b.substr(0, b.find("_check(void)\n{"))),
              temporaries(a.substr(0, a.find("_check(void)\n{"))));
    if (name == std::string("planar_double_pendulum")) EXPECT_GT(2 * b.size(), 3 * a.size());
    const auto library = compile_c(plain, folder);
    ASSERT_TRUE(library);
    EXPECT_LT((*library->function<double()>("unit_check"))(), 1e-12);
  }
}

// Positions and velocities against what the system reports, a reversed joint and a loop included.
TEST(GeneratedPlaces, AreThoseOfTheSystem) {
  const WorkFolder folder;
  for (const char* name : {"four_bar", "heavy_top"}) {
    SCOPED_TRACE(name);
    api::GenerateOptions options;
    options.places = true;
    const GeneratedModel generated = generate_example(name, options);
    const auto library = compile_c(generated, folder);
    ASSERT_TRUE(library);
    const Example example = load_example(name);
    const Model& model = *example.model;
    const MechanicalSystem& system = example.mechanism();
    const State start = system.initial_state();
    const Observation seen = observe(system, start);
    using Places = void(double, const double*, const double*, double*, double*, double*, double*);
    const std::size_t n = model.bodies.size(), m = model.joints.size();
    std::vector<double> c(3 * n), cv(3 * n), j(3 * m), jv(3 * m);
    library->function<Places>("unit_places")(0, start.x.data(),
                                             library->function<const double>("unit_p0"), c.data(),
                                             cv.data(), j.data(), jv.data());
    const std::vector<double> parameters = parameter_values(model);
    const auto compare = [&](int body, const Vec3<double>& at, const double* x, const double* u) {
      if (body == world) return;
      const BodyState& b = seen.bodies[body];
      const Mat3<double> R = rotation_matrix(b.orientation);
      const Vec3<double> place = b.position + R * at;
      const Vec3<double> speed = b.linear + R * cross(b.angular, at);
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(x[k], place[k], 1e-12);
        EXPECT_NEAR(u[k], speed[k], 1e-11);
      }
    };
    for (std::size_t b = 0; b < n; ++b)
      compare(static_cast<int>(b), calc_mass_properties<double>(model.bodies[b], parameters).com,
              &c[3 * b], &cv[3 * b]);
    for (std::size_t k = 0; k < m; ++k) {
      compare(model.joints[k].child.body, calc_vec3<double>(model.joints[k].child.at, parameters),
              &j[3 * k], &jv[3 * k]);
    }
  }
}

// The whole variational system: dX' = J dX with the system's own Jacobian, and its sparse Jacobian
// against differences of the code itself.
TEST(GeneratedVariationalMatrix, AgainstTheSystem) {
  const WorkFolder folder;
  for (const char* name : {"planar_double_pendulum", "roessler"}) {
    SCOPED_TRACE(name);
    api::GenerateOptions options;
    options.variational_matrix = true;
    const auto library = compile_c(generate_example(name, options), folder);
    ASSERT_TRUE(library);
    const Example example = load_example(name);
    State state = example.system->initial_state();
    const int n = static_cast<int>(state.x.size()) - example.system->quadratures();
    const int all = n * (n + 1);
    for (int k = 0; k < n; ++k) state.x[k] += 0.3 + 0.1 * k;
    const auto* p = library->function<const double>("unit_p0");
    using Function = void(double, const double*, const double*, const double*, double*);
    const auto matrix = library->function<Function>("unit_variational_matrix");
    const auto derivative = library->function<Function>("unit_derivative");
    const auto entries = library->function<Function>("unit_variational_matrix_jacobian");
    using Pattern = int(const int**, const int**);
    const auto pattern = library->function<Pattern>("unit_variational_matrix_jacobian_J_pattern");
    ASSERT_TRUE(matrix && derivative && entries && pattern);
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(state.x.size(), state.x.size());
    example.system->jacobian(state, J, *example.system->make_workspace());
    std::vector<double> z(state.x.begin(), state.x.begin() + n);  // x, then dX by rows
    for (int k = 0; k < n * n; ++k) z.push_back(std::sin(1.0 + k));
    const auto rate = [&](const std::vector<double>& at) {
      std::vector<double> rates(all);
      derivative(0, at.data(), p, at.data() + n, rates.data());
      matrix(0, at.data(), p, at.data() + n, rates.data() + n);
      return rates;
    };
    const std::vector<double> rates = rate(z);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += J(i, k) * z[n + k * n + j];
        EXPECT_NEAR(rates[n + i * n + j], sum, 1e-10 * (1 + std::fabs(sum)));
      }
    const int *row = nullptr, *column = nullptr;
    const int count = pattern(&row, &column);
    std::vector<double> values(count);
    entries(0, z.data(), p, z.data() + n, values.data());
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(all, all);
    for (int e = 0; e < count; ++e) full(row[e], column[e]) = values[e];
    EXPECT_LT(count, all * all);
    for (int c = 0; c < all; ++c) {
      std::vector<double> up = z, down = z;
      const double h = 1e-6;
      up[c] += h, down[c] -= h;
      const std::vector<double> a = rate(up), b = rate(down);
      for (int r = 0; r < all; ++r)
        EXPECT_NEAR(full(r, c), (a[r] - b[r]) / (2 * h), 1e-5 * (1 + std::fabs(full(r, c))))
            << r << " " << c;
    }
  }
}

TEST(PlainCode, TooLongIsRefused) {
  api::GenerateOptions options;
  options.plain = true;
  EXPECT_THROW(generate_example("revolute_chain_6", options), Refusal);
}

}  // namespace
}  // namespace cartan::test
