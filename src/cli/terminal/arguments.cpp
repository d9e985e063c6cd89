#include "cli/terminal/arguments.h"

#include "cli/command.h"
#include "results/option_names.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "core/diagnostics.h"
#include "core/text_cut.h"
#include "results/load/numbers.h"

namespace cartan::cli {

int complain(const char* command, const std::string& message, int status) {
  fmt::print(stderr, "cartan {}: {}\n", command, name_options(message));
  return status;
}
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    if (end == text.size()) return parts;
    begin = end + 1;
  }
}

constexpr std::size_t help_width = 100, help_column = 30;

// A line of the help that is too long, in several: what explains an option stays in its column, a
// command to be typed stays whole.
std::string fold_line(const std::string& line) {
  if (line.size() <= help_width || line.starts_with("  cartan ")) return line;
  const std::string indent(line.starts_with("  ") ? help_column : 0, ' ');
  std::string folded, rest = line;
  while (rest.size() > help_width) {
    const std::size_t end = rest.rfind(' ', help_width);
    if (end == std::string::npos || end <= indent.size()) break;
    folded += rest.substr(0, end) + "\n";
    rest = indent + rest.substr(end + 1);
  }
  return folded + rest;
}

std::string fold_help(const std::string& text) {
  std::string folded;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    folded += fold_line(text.substr(begin, end - begin));
    if (end < text.size()) folded += '\n';
    begin = end + 1;
  }
  return folded;
}

}  // namespace

// Values are kept as text by the parser and turned into what the command wants afterwards, so that
// all complaints have one voice.
struct Arguments::Parser {
  CLI::App app;
  std::string command;
  std::string group = "Options";                      // under which options stand in the help
  std::vector<std::string> names;                     // of all options
  std::vector<std::function<std::string()>> convert;  // each returns a complaint or ""
  std::function<std::unique_ptr<const Model>()> names_from;
  std::unique_ptr<const Model> model;  // once it was needed
  bool model_failed = false;           // told already

  CLI::Option* add(const std::string& name, const std::string& value, const std::string& help,
                   std::string& text) {
    names.push_back(name);
    return app.add_option(name, text, help)->type_name(value)->group(group);
  }
  template <class T>
  static std::optional<T> number_type(const std::optional<T>&);
  template <class T>
  static std::optional<T> number_type(const T&);
  template <class Target>
  void add_number(const std::string& name, const std::string& value, const std::string& help,
                  Target& target, const char* expected) {
    using T = typename decltype(number_type(target))::value_type;
    const auto text = std::make_shared<std::string>();
    CLI::Option* option = add(name, value, help, *text);
    convert.push_back([=, this, &target]() -> std::string {
      if (option->count() == 0) return "";
      std::string problem;
      const std::optional<double> number = read(*text, problem);
      if (!number) return fmt::format("{}: expected {}; {}", name, expected, problem);
      const bool fits = std::fabs(*number) <= static_cast<double>(std::numeric_limits<T>::max());
      if (!fits || static_cast<double>(static_cast<T>(*number)) != *number)
        return fmt::format("{}: expected {}, got '{}'", name, expected, *text);
      target = static_cast<T>(*number);
      return "";
    });
  }
  // A number; the model is read where a name asks for it.
  std::optional<double> read(const std::string& text, std::string& problem) {
    if (text.empty()) {
      problem = "got nothing";
      return std::nullopt;
    }
    ExpressionError ignored;
    const Syntax tree = parse_expression(text, ignored);
    // What does not parse may still call a function of the model.
    const bool needs_model = tree ? !names_in(tree).empty() : text.find('(') != std::string::npos;
    if (needs_model && !model && names_from) {
      model = names_from();
      model_failed = !model;
    }
    return read_number(text, model.get(), problem);
  }
  int complain(const std::string& message) const {
    fmt::print(stderr, "cartan {}: {}\n", command, cut_middle(message));
    return exit_bad_input;
  }
  static bool is_file(const std::string& word) {
    std::error_code ignored;
    return std::filesystem::exists(word, ignored);
  }
  std::string unexpected(const std::string& word) const {
    if (!word.starts_with("-"))
      return fmt::format("unexpected word '{}'; it belongs to nothing", word);
    if (is_file(word))
      return fmt::format("'{}' is no option; if the file is meant, write it after --, or as ./{}",
                         word, word);
    const std::string name = word.substr(0, word.find('='));
    const std::string near = nearest_name(name, names);
    return fmt::format("unknown option '{}'{}", name,
                       near.empty() ? fmt::format("; `cartan {} --help` lists them", command)
                                    : fmt::format("; did you mean '{}'?", near));
  }
};

Arguments::Arguments(const std::string& command, const std::string& summary,
                     const std::string& example)
    : parser_(std::make_unique<Parser>()) {
  CLI::App& app = parser_->app;
  parser_->command = command;
  app.description(summary + "\n");
  app.name("cartan " + command);
  app.footer("Example:\n" + example);
  app.allow_extras();
  app.set_help_flag("-h,--help", "print this help");
  parser_->names.push_back("--help");
  auto format = std::make_shared<CLI::Formatter>();
  format->column_width(30);
  format->label("OPTIONS", "OPTIONS");
  format->label("REQUIRED", "");
  app.formatter(format);
}

Arguments::~Arguments() = default;

void Arguments::positional(const std::string& name, const std::string& help, std::string& target) {
  parser_->app.add_option(name, target, help)->required()->type_name("");
}

void Arguments::positional(const std::string& name, const std::string& help,
                           std::vector<std::string>& target) {
  parser_->app.add_option(name, target, help)->required()->type_name("");
}

void Arguments::option(const std::string& name, const std::string& value, const std::string& help,
                       std::string& target) {
  CLI::Option* option = parser_->add(name, value, help, target);
  parser_->convert.push_back([=, &target]() -> std::string {
    return option->count() > 0 && target.empty() ? name + ": expected a word, got nothing" : "";
  });
}

void Arguments::option(const std::string& name, const std::string& value, const std::string& help,
                       std::optional<double>& target) {
  parser_->add_number(name, value, help, target, "a finite number");
}

void Arguments::option(const std::string& name, const std::string& value, const std::string& help,
                       std::optional<int>& target) {
  parser_->add_number(name, value, help, target, "a whole number");
}

void Arguments::option(const std::string& name, const std::string& value, const std::string& help,
                       double& target) {
  parser_->add_number(name, value, help, target, "a finite number");
}

void Arguments::option(const std::string& name, const std::string& value, const std::string& help,
                       int& target) {
  parser_->add_number(name, value, help, target, "a whole number");
}

void Arguments::repeated(const std::string& name, const std::string& value, const std::string& help,
                         std::vector<std::string>& target) {
  parser_->names.push_back(name);
  parser_->app.add_option(name, target, help)
      ->type_name(value)
      ->group(parser_->group)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void Arguments::list(const std::string& name, const std::string& value, const std::string& help,
                     std::vector<std::string>& target) {
  const auto text = std::make_shared<std::string>();
  CLI::Option* option = parser_->add(name, value, help, *text);
  parser_->convert.push_back([=, &target]() -> std::string {
    if (option->count() == 0) return "";
    target = split(*text);
    return target.empty() ? fmt::format("{}: expected a list separated by commas", name) : "";
  });
}

void Arguments::flag(const std::string& name, const std::string& help, bool& target) {
  parser_->names.push_back(name);
  parser_->app.add_flag(name, target, help)->group(parser_->group);
}

void Arguments::group(const std::string& title) {
  parser_->group = title.empty() ? "Options" : title;
}

void Arguments::names_from(std::function<std::unique_ptr<const Model>()> model) {
  parser_->names_from = std::move(model);
}

std::optional<int> Arguments::parse(const Words& words) {
  Parser& parser = *parser_;
  try {
    parser.app.parse(Words(words.rbegin(), words.rend()));  // the parser takes words from the back
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", fold_help(parser.app.help()));
    return exit_done;
  } catch (const CLI::RequiredError&) {
    for (const std::string& word : words)
      if (word.starts_with("-") && parser.is_file(word))
        return parser.complain(parser.unexpected(word));
    std::string missing;
    for (const CLI::Option* option : parser.app.get_options())
      if (missing.empty() && option->get_required() && option->count() == 0)
        missing = ": " + option->get_name(true) + ", " + option->get_description();
    return parser.complain(
        fmt::format("a word is missing{}; `cartan {} --help` says more", missing, parser.command));
  } catch (const CLI::ParseError& error) {
    return parser.complain(error.what());
  }
  Words extra = parser.app.remaining();
  std::erase(extra, "--");  // words after it are no options, whatever they begin with
  if (!extra.empty()) return parser.complain(parser.unexpected(extra.front()));
  for (const auto& convert : parser.convert)
    if (const std::string complaint = convert(); !complaint.empty())
      return parser.model_failed ? exit_bad_input : parser.complain(complaint);
  return std::nullopt;
}

}  // namespace cartan::cli
