// [functions]: formulas, and functions whose code is the user's.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "core/compiled_library.h"
#include "model/check/check_context.h"
#include "model/dependencies.h"

namespace cartan::model {
namespace {

namespace fs = std::filesystem;

// A name that can stand in an expression and in C.
bool is_word(const std::string& name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

class FunctionCheck {
 public:
  explicit FunctionCheck(CheckContext& check)
      : check_(check), functions_(check.names.functions()) {}

  void run() {
    const std::vector<FunctionText>& list = check_.text.functions;
    for (const FunctionText& text : list) declare(text);
    for (std::size_t k = 0; k < list.size(); ++k)
      if (list[k].value) read_body(list[k], functions_[k]);
    refuse_circles();
    for (std::size_t k = 0; k < list.size(); ++k)
      if (!list[k].value && !functions_[k].arguments.empty()) find_code(list[k], functions_[k]);
    check_.model.functions = functions_;
  }

 private:
  void complain(Location place, const std::string& message) {
    check_.problems.error(place, message);
  }

  // -------------------------------------------------------------------------------------- the
  // names

  void declare(const FunctionText& text) {
    const std::vector<std::string> language = function_names();
    if (!is_word(text.name))
      complain(text.where, "'" + text.name +
                               "' cannot be the name of a function; expected letters, digits and "
                               "_, not beginning with a digit");
    else if (std::find(language.begin(), language.end(), text.name) != language.end())
      complain(text.where, "'" + text.name + "' is a function of the language; use another name");
    UserFunction function;
    function.name = text.name;
    if (arguments_fit(text))
      for (const Reference& argument : text.arguments) function.arguments.push_back(argument.name);
    functions_.add(std::move(function));
    refuse_contradictions(text);
  }

  bool arguments_fit(const FunctionText& text) {
    bool fit = !text.arguments.empty();
    if (text.arguments.size() > static_cast<std::size_t>(most_arguments)) {
      fit = false;
      complain(text.arguments_where, "the function '" + text.name + "' has " +
                                         std::to_string(text.arguments.size()) +
                                         " arguments; at most 8 are possible");
    }
    for (std::size_t k = 0; k < text.arguments.size(); ++k) {
      const Reference& argument = text.arguments[k];
      std::string problem;
      if (!is_word(argument.name))
        problem = "; expected letters, digits and _, not beginning with a digit";
      else if (argument.name == "t" || argument.name == "pi")
        problem = ": it is reserved";
      for (std::size_t i = 0; i < k; ++i)
        if (text.arguments[i].name == argument.name) problem = " twice";
      if (problem.empty()) continue;
      fit = false;
      complain(argument.where,
               "'" + argument.name + "' cannot be the name of an argument" + problem);
    }
    return fit;
  }

  void refuse_contradictions(const FunctionText& text) {
    const std::string whose = "the function '" + text.name + "'";
    if (text.value && !(text.source.empty() && text.library.empty()))
      complain(text.source.empty() ? text.library.where : text.source.where,
               whose + " has a formula (`value`) and code as well; keep one of them");
    else if (!text.source.empty() && !text.library.empty())
      complain(text.library.where, whose + " has a `source` and a `library`; keep one of them");
    if (text.value && !text.derivatives.empty())
      complain(text.derivatives[0].name.where,
               whose + " is a formula, whose derivatives follow from it; leave out `derivatives`");
  }

  // ----------------------------------------------------------------------------------- its formula

  void read_body(const FunctionText& text, UserFunction& function) {
    if (text.value->reported || function.arguments.empty()) return;
    Syntax tree = check_.formulas.parse(*text.value);
    if (!tree) return;
    for (const std::string& name : names_in(tree)) {
      if (std::find(function.arguments.begin(), function.arguments.end(), name) !=
          function.arguments.end())
        continue;
      complain(text.value->where, "in '" + text.value->text + "': '" + name +
                                      "' is no argument of the function '" + text.name +
                                      "'; hand it over as an argument");
      return;
    }
    function.body = std::move(tree);
  }

  // Formulas are written out where they are called, which must come to an end.
  void refuse_circles() {
    const std::vector<UserFunction>& list = functions_.list();
    std::vector<std::vector<int>> uses(list.size());
    for (std::size_t k = 0; k < list.size(); ++k)
      for (const std::string& name : calls_in(list[k].body))
        uses[k].push_back(static_cast<int>(functions_.find(name) - list.data()));
    for (const std::vector<int>& cycle : order_by_dependencies(uses).cycles) {
      std::string chain;
      for (const int k : cycle) chain += list[k].name + " -> ";
      const std::string& first = list[cycle[0]].name;
      complain(
          check_.text.functions[cycle[0]].where,
          "the function '" + first + "' calls itself (" + chain + first + "); expected no circle");
      for (const int k : cycle) functions_[k].body = nullptr;
    }
  }

  // -------------------------------------------------------------------------------------- its code

  void find_code(const FunctionText& text, UserFunction& function) {
    ExternalFunction declaration{function.name, function.arguments, {}};
    declaration.withheld = !(text.source.empty() && text.library.empty()) &&
                           check_.consent.code == Consent::Code::named;
    for (const FunctionText::Derivative& derivative : text.derivatives)
      if (!add_derivative(text, derivative, declaration)) return;
    if (text.source.empty() && text.library.empty()) {
      function.code = std::make_shared<const FunctionCode>(std::move(declaration));
      return;
    }
    const Reference& file = text.source.empty() ? text.library : text.source;
    if (!may_use(text, file)) return;
    if (declaration.withheld) {
      note_file(file);
      function.code = std::make_shared<const FunctionCode>(std::move(declaration));
      return;
    }
    const std::shared_ptr<const CompiledLibrary> library = load(file, !text.source.empty());
    if (!library) return;
    auto code = std::make_shared<const FunctionCode>(
        std::move(declaration), [&](const std::string& name) { return library->address(name); },
        library);
    if (!code->has(0))
      return complain(file.where, "'" + file.name + "' has no function '" + text.name +
                                      "'; expected " + prototype(text.name, function) +
                                      ", with C linkage");
    for (const FunctionText::Derivative& derivative : text.derivatives)
      if (!library->address(derivative.name.name))
        return complain(derivative.name.where, "'" + file.name + "' has no function '" +
                                                   derivative.name.name + "'; expected " +
                                                   prototype(derivative.name.name, function));
    function.code = std::move(code);
  }

  // The code exists and may be used, if only by name.
  bool may_use(const FunctionText& text, const Reference& file) {
    std::error_code ignored;
    if (!fs::is_regular_file(path_of(file), ignored)) {
      if (reported_.insert(file.name).second)
        complain(file.where, "'" + file.name + "': there is no such file; expected " +
                                 std::string(text.library.empty() ? "C code" : "a shared library") +
                                 " beside the model, or leave the key out to declare the function "
                                 "by name only");
      return false;
    }
    if (check_.consent.code != Consent::Code::refused) return true;
    complain(file.where, "the function '" + text.name + "' is code ('" + file.name +
                             "'); to run it " + consent_phrase);
    return false;
  }
  fs::path path_of(const Reference& file) const {
    return fs::absolute(fs::path(check_.text.folder) / file.name);
  }
  void note_file(const Reference& file) {
    std::vector<std::string>& files = check_.model.function_files;
    const std::string path = path_of(file).string();
    if (std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
  }

  static std::string prototype(const std::string& name, const UserFunction& function) {
    std::string text = "double " + name + "(";
    for (std::size_t k = 0; k < function.arguments.size(); ++k)
      text += (k ? ", double " : "double ") + function.arguments[k];
    return text + ")";
  }

  // "q1", "q2 q1": by which arguments, brought to their order.
  bool add_derivative(const FunctionText& text, const FunctionText::Derivative& derivative,
                      ExternalFunction& function) {
    std::vector<std::size_t> by;
    std::istringstream words(derivative.by);
    for (std::string word; words >> word;) {
      const auto at = std::find(function.arguments.begin(), function.arguments.end(), word);
      if (at == function.arguments.end()) {
        complain(derivative.name.where, "derivative by '" + derivative.by + "' of the function '" +
                                            text.name + "': '" + word + "' is no argument of it");
        return false;
      }
      by.push_back(at - function.arguments.begin());
    }
    if (by.empty() || !is_word(derivative.name.name)) {
      if (!derivative.name.name.empty())
        complain(derivative.name.where,
                 "expected the name of a function for a derivative, as in { \"" +
                     function.arguments[0] + "\" = \"slope\" }");
      return false;
    }
    std::sort(by.begin(), by.end());
    std::string key;
    for (const std::size_t k : by) key += (key.empty() ? "" : " ") + function.arguments[k];
    function.derivatives[key] = derivative.name.name;
    return true;
  }

  std::shared_ptr<const CompiledLibrary> load(const Reference& file, bool compile) {
    auto [known, is_new] = loaded_.try_emplace({file.name, compile});
    if (!is_new) return known->second;
    const fs::path path = path_of(file);
    std::string problem;
    if (compile)
      known->second =
          CompiledLibrary::compile(functions_source, options_for_functions(path), problem);
    else
      known->second = CompiledLibrary::open(path, problem);
    if (known->second)
      note_file(file);
    else
      complain(file.where, "'" + file.name + "': " + problem);
    return known->second;
  }

  static constexpr const char* functions_source = "/* functions of a model */\n";
  static CompileOptions options_for_functions(const fs::path& file) {
    CompileOptions options;
    options.sources = {file};
    return options;
  }

  CheckContext& check_;
  UserFunctions& functions_;
  std::set<std::string> reported_;  // files that are missing
  std::map<std::pair<std::string, bool>, std::shared_ptr<const CompiledLibrary>> loaded_;
};

}  // namespace

void check_functions(CheckContext& check) {
  for (std::size_t k = 0; k < check.text.functions.size(); ++k)
    for (std::size_t i = 0; i < k; ++i)
      if (check.text.functions[i].name == check.text.functions[k].name) {
        check.problems.error(check.text.functions[k].where,
                             "duplicate function name '" + check.text.functions[k].name + "'");
        break;
      }
  FunctionCheck(check).run();
}

}  // namespace cartan::model
