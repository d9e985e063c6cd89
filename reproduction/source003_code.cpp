// Source 003, table 6.5: how the generated equations of revolute chains grow.
#include <chrono>

#include <fmt/format.h>

#include "codegen/rate_compiler.h"
#include "formulations/formulations.h"
#include "io/toml_reader.h"
#include "reproduction/call_time.h"
#include "reproduction/drawing.h"
#include "reproduction/source003.h"
#include "reproduction/workshop.h"

namespace cartan::reproduction {
namespace {

struct Printed {
  const char *time, *size, *call;  // without simplification
};
constexpr Printed printed[] = {
    {"2.7 s", "79 byte", "2 ms"},    {"2.4 s", "287 byte", "2 ms"},
    {"5.16 s", "11.3 kB", "70 ms"},  {"11.05 s", "446 kB", "2.3 s"},
    {"88.4 s", "13.0 MB", "14.4 s"}, {"1597.3 s", "298 MB", "out of memory"}};

// Seconds of one evaluation of x', the code that formulation `generated` runs.
double call_time(const std::string& file) {
  Diagnostics problems(file);
  const auto description = read_model_file(file, problems);
  const std::optional<Model> model =
      description ? check_model(*description, problems) : std::nullopt;
  if (!model) throw ItemFailure(problems.text());
  const std::vector<double> parameters = parameter_values(*model);
  std::string problem;
  const auto system = make_system(*model, parameters, "recursive", problem);
  if (!system) throw ItemFailure(problem);
  const State start = system->initial_state();
  const auto compiler = make_rate_compiler(*model, parameters);
  const RateCode* const code = compiler->find_derivative(start, problem);
  if (!code) throw ItemFailure(problem);
  std::vector<double> rates(start.x.size());
  return seconds_per_call(
      [&] { code->derivative(start.t, start.x.data(), parameters.data(), rates.data()); });
}

// The family of examples/revolute_chain_1.toml, longer: axes z, y in turn.
std::string chain_text(int n) {
  std::string text = fmt::format(
      "name = \"revolute chain, {} links\"\n[parameters]\nr_in = 0.2\nr_out = 0.4\nh = 0.1\n"
      "rho = 7750\n",
      n);
  for (int i = 1; i <= n; ++i) {
    const bool even = i % 2 == 0;
    text += fmt::format(
        "[[body]]\nname = \"link{0}\"\ndensity = \"rho\"\nshape = {{ tube = [\"r_in\", \"r_out\", "
        "\"h\"], at = [0.2, 0, 0]{1} }}\n[[joint]]\nname = \"joint{0}\"\ntype = \"revolute\"\n"
        "axis = {2}\nparent = {{ body = \"{3}\"{4} }}\nchild = {{ body = \"link{0}\" }}\n"
        "position = {5:.2f}\nvelocity = {6:.2f}\n",
        i, even ? ", rotate = { axis = [1, 0, 0], angle = \"pi/2\" }" : "",
        even ? "[0, 1, 0]" : "[0, 0, 1]", i == 1 ? "world" : fmt::format("link{}", i - 1),
        i == 1 ? "" : ", at = [0.4, 0, 0]", 0.3 - 0.1 * (i % 7), 0.5 - 0.2 * (i % 5));
  }
  return text + "[simulate]\nduration = 5\nstep = 0.005\nintegrator = \"gl3\"\n";
}

struct PrintedSimplified {
  const char *time, *size;
};
constexpr PrintedSimplified simplified[] = {
    {"3.2 s", "79 byte"}, {"3.65 s", "299 byte"}, {"12.2 s", "9.60 kB"}};

// With simplification: M and f in the form that is shortest to read, as `equations` prints them.
void add_simplified(Workshop& shop, Record& record) {
  Sheet sheet{
      "The same with simplification. Printed: the document's figures, whose program ran out "
      "of memory (15 GB) from four bodies on. Here: time of `equations`, which looks for the "
      "form of M v' = f that is shortest to read, and size of its text.",
      {"bodies", "time, printed", "time", "size, printed", "size"},
      {}};
  for (int n = 1; n <= static_cast<int>(shop.choose(6, 4)); ++n) {
    const std::string model = shop.model(fmt::format("revolute_chain_{}", n));
    const auto begin = std::chrono::steady_clock::now();
    const Json made = shop.json({"equations", model});
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const bool there = n <= 3;
    sheet.rows.push_back(
        {std::to_string(n), there ? simplified[n - 1].time : "out of memory",
         fmt::format("{:.2f} s", seconds), there ? simplified[n - 1].size : "-",
         fmt::format("{:.1f} kB",
                     static_cast<double>(made.at("text").get<std::string>().size()) / 1e3)});
  }
  record.sheets.push_back(std::move(sheet));
}

}  // namespace

void generated_growth(Workshop& shop, Record& record) {
  std::vector<int> sizes = {1, 2, 3, 4, 5, 6};
  if (!shop.quick()) sizes.insert(sizes.end(), {10, 20, 30});
  Sheet sheet{
      "Revolute chains, axes perpendicular in turn. Printed: the document's figures without "
      "simplification. Here: time of derivation and emission of C, size of the file, operations "
      "with shared expressions computed once and written out, one call of the compiled code.",
      {"bodies", "time, printed", "time", "size, printed", "size", "operations", "written out",
       "call, printed", "call"},
      {}};
  std::vector<double> bodies, operations, written;
  double seconds_6 = 0, bytes_6 = 0, call_6 = 0;
  for (const int n : sizes) {
    const std::string model =
        n <= 6 ? shop.model(fmt::format("revolute_chain_{}", n))
               : shop.write_model(fmt::format("revolute_chain_{}", n), chain_text(n));
    const Json made = shop.json({"generate", model, "--language", "c", "--out",
                                 shop.data(fmt::format("chain_code_{}", n))});
    const Json& count = made.at("operations").at("derivative");
    const double seconds = made.at("seconds"), bytes = made.at("files").at(0).at("bytes"),
                 call = call_time(model);
    if (n == 6) seconds_6 = seconds, bytes_6 = bytes, call_6 = call;
    bodies.push_back(n);
    operations.push_back(count.at("total"));
    written.push_back(count.at("written_out"));
    const bool there = n <= 6;
    sheet.rows.push_back({std::to_string(n), there ? printed[n - 1].time : "-",
                          fmt::format("{:.3f} s", seconds), there ? printed[n - 1].size : "-",
                          fmt::format("{:.1f} kB", bytes / 1e3),
                          fmt::format("{}", count.at("total").get<long>()),
                          written.back() > 9e18 ? "> 9e18" : few_digits(written.back()),
                          there ? printed[n - 1].call : "-", fmt::format("{:.2f} us", 1e6 * call)});
  }
  record.sheets.push_back(std::move(sheet));
  add_simplified(shop, record);
  Chart chart =
      figure_chart("Revolute chains: operations of the accelerations", "bodies", "operations");
  chart.y_log = true;
  add_line(chart, "shared expressions computed once", bodies, operations);
  add_line(chart, "written out", bodies, written).dashed = true;
  record.figures.push_back({chart,
                            "Operations of the derivative of revolute chains over the number "
                            "of bodies: as one graph with shared expressions, and written "
                            "out as the document's program does."});
  record.rows = {{"six bodies: derivation and code", "1597.3 s", fmt::format("{:.3f} s", seconds_6),
                  Verdict::better},
                 {"six bodies: size of the file", "298 MB", fmt::format("{:.1f} kB", bytes_6 / 1e3),
                  Verdict::better, "energies and mass matrix included"},
                 {"six bodies: one call", "out of memory", fmt::format("{:.2f} us", 1e6 * call_6),
                  Verdict::better, "the derivative, solved for the accelerations"}};
  record.notes.push_back(
      "The document's expressions grow by a factor of about 25 with every body because each is "
      "written out in full; as a graph the same equations grow linearly (above twelve bodies) or "
      "quadratically (below, in mass-matrix form).");
}

}  // namespace cartan::reproduction
