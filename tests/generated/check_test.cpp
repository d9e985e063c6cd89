// check() of generated modules, as `cartan generate` writes them: with every function, outputs of
// the model among them. Interpreters meet a wrong name only when they run it.
#include "core/child_process.h"
#include "generated/example_units.h"
#include "support/interpreters.h"
#include "unit/codegen/work_folder.h"

namespace cartan::test {
namespace {

// Examples with outputs, less those that call C functions of the user.
std::vector<std::string> names_with_outputs() {
  std::vector<std::string> names;
  for (const std::string& name : example_names()) {
    const std::string text = example_text(name);
    if (text.find("[[output]]") != std::string::npos &&
        text.find("[functions]") == std::string::npos)
      names.push_back(name);
  }
  return names;
}

void write_modules(const std::vector<std::string>& names, Language language,
                   const WorkFolder& folder) {
  for (const std::string& name : names) {
    const Example example = load_example(name);
    ASSERT_TRUE(example) << name << ": " << example.problem;
    Derivation derivation(*example.model, parameter_values(*example.model),
                          example.system->initial_state());
    const CodeUnit unit = make_unit(derivation, {}, name);
    bool outputs = false;
    for (const CodeFunction& function : unit.functions)
      outputs = outputs || function.name == "outputs";
    EXPECT_TRUE(outputs) << name;
    for (const GeneratedFile& file : emit(unit, language)) folder.write(file.name, file.text);
  }
}

// One line per module: its name and its largest error.
void expect_small_errors(const std::vector<std::string>& names, const ChildResult& result) {
  ASSERT_EQ(result.status, 0) << result.output().substr(0, 3000);
  std::istringstream lines(result.output());
  for (const std::string& name : names) {
    std::string told;
    double error = 1;
    ASSERT_TRUE(lines >> told >> error) << name << "\n" << result.output();
    EXPECT_EQ(told, name);
    EXPECT_LT(error, 1e-9) << name;
  }
}

TEST(GeneratedCheck, OfEveryExampleWithOutputsRunsInPython) {
  const std::string python = python_with_numpy();
  if (python.empty()) GTEST_SKIP() << "no Python with NumPy here";
  const WorkFolder folder;
  const std::vector<std::string> names = names_with_outputs();
  ASSERT_GT(names.size(), 10u);
  write_modules(names, Language::python, folder);
  std::string main = "import sys\nsys.path.insert(0, '" + folder.path().string() + "')\n";
  for (const std::string& name : names)
    main += "import " + name + "\nprint('" + name + "', " + name + ".check())\n";
  folder.write("main.py", main);
  expect_small_errors(names, run_child({python, (folder.path() / "main.py").string()}));
}

TEST(GeneratedCheck, OfEveryExampleWithOutputsRunsInOctave) {
  if (!run_child({"octave", "--version"}).started) GTEST_SKIP() << "no Octave here";
  const WorkFolder folder;
  const std::vector<std::string> names = names_with_outputs();
  write_modules(names, Language::octave, folder);
  std::string main = "1;\naddpath('" + folder.path().string() + "');\n";
  for (const std::string& name : names)
    main += "printf('%s %.17g\\n', '" + name + "', " + name + "_check());\n";
  folder.write("main_script.m", main);
  expect_small_errors(names, run_child({"octave", "--no-gui", "--norc", "--quiet",
                                        (folder.path() / "main_script.m").string()}));
}

// What is not a number is no small error: the outputs of a module are made undefined.
TEST(GeneratedCheck, ANumberThatIsNoneIsAnError) {
  const std::string name = names_with_outputs().front();
  const WorkFolder folder;
  const auto has_nan = [&](const ChildResult& result) {
    EXPECT_EQ(result.status, 0) << result.output();
    return result.output().find("nan") != std::string::npos ||
           result.output().find("NaN") != std::string::npos;
  };
  if (const std::string python = python_with_numpy(); !python.empty()) {
    write_modules({name}, Language::python, folder);
    folder.write("main.py", "import sys\nsys.path.insert(0, '" + folder.path().string() +
                                "')\nimport " + name + " as m\nwhole = m.outputs\n" +
                                "m.outputs = lambda *a: [v * m.np.nan for v in whole(*a)]\n" +
                                "print(m.check())\n");
    EXPECT_TRUE(has_nan(run_child({python, (folder.path() / "main.py").string()})));
  }
  if (!run_child({"octave", "--version"}).started) GTEST_SKIP() << "no Octave here";
  write_modules({name}, Language::octave, folder);
  const std::string file = name + "_outputs.m";
  std::ifstream stream(folder.path() / file);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t head = text.find("function "), equals = text.find(" = ", head);
  ASSERT_NE(equals, std::string::npos) << text;
  std::string result = text.substr(head + 9, equals - head - 9);  // r, or [r, s]
  if (result[0] == '[') result = result.substr(1, result.find_first_of(",]") - 1);
  const std::size_t end = text.find("\nend\n");
  ASSERT_NE(end, std::string::npos) << text;
  text.insert(end + 1, "  " + result + " = " + result + " * NaN;\n");
  folder.write(file, text);
  folder.write("main_script.m", "1;\naddpath('" + folder.path().string() + "');\nprintf('%g\\n', " +
                                    name + "_check());\n");
  EXPECT_TRUE(has_nan(run_child(
      {"octave", "--no-gui", "--norc", "--quiet", (folder.path() / "main_script.m").string()})));
}

}  // namespace
}  // namespace cartan::test
