// cartan new: write a ready model file.
#include <filesystem>

#include <fmt/core.h>

#include "cli/new/templates.h"
#include "cli/terminal/arguments.h"
#include "cli/terminal/out_option.h"
#include "io/output_files.h"
#include "results/load/load.h"

namespace cartan::cli {
namespace {

constexpr int most_links = 100000;

struct NewArguments {
  std::string name, out;
  TemplateOptions contents;
  bool force = false;
};

std::string template_list() {
  std::string text;
  for (const Template& row : template_table())
    text += fmt::format("\n  {:<16} {}", row.name, row.summary);
  return text;
}

std::optional<int> read_new_arguments(const Words& words, NewArguments& o) {
  Arguments arguments(
      "new", "Write a ready, commented model file to start from.\n\nTemplates:" + template_list(),
      "  cartan new chain --links 16 --out chain.toml\n"
      "  cartan run chain.toml");
  arguments.positional("TEMPLATE", "which model", o.name);
  arguments.option("--links", "N", "chain, scissor, ladder: number of links or stages (8, 3, 4)",
                   o.contents.links);
  arguments.option("--joint", "TYPE", "chain: spherical (default) or revolute", o.contents.joint);
  arguments.option("--out", "FILE", "write to this file instead of the terminal", o.out);
  arguments.flag("--force", "replace FILE where it exists", o.force);
  return arguments.parse(words);
}

const Template* find_template(const std::string& name) {
  for (const Template& row : template_table())
    if (name == row.name) return &row;
  return nullptr;
}

std::string explain_unknown(const std::string& name) {
  std::vector<std::string> known;
  for (const Template& row : template_table()) known.push_back(row.name);
  const std::string near = suggestion(name, known);
  return fmt::format("there is no template '{}'{}", name,
                     near.empty() ? "; there are:" + template_list() : near);
}

// A sentence, or "".
std::string find_problem(const Template& chosen, const TemplateOptions& o) {
  if (!chosen.takes_links && o.links)
    return fmt::format("--links belongs to 'chain', 'scissor' and 'ladder', not to '{}'",
                       chosen.name);
  if (!chosen.takes_joint && !o.joint.empty())
    return fmt::format("--joint belongs to 'chain', not to '{}'", chosen.name);
  if (o.links && (*o.links < 1 || *o.links > most_links))
    return fmt::format("--links is {}; expected a number from 1 to {}", *o.links, most_links);
  if (!o.joint.empty() && o.joint != "spherical" && o.joint != "revolute")
    return fmt::format("--joint is '{}'; expected spherical or revolute", o.joint);
  return "";
}

}  // namespace

int new_command(const Words& words) {
  NewArguments options;
  if (const std::optional<int> status = read_new_arguments(words, options)) return *status;
  const Template* chosen = find_template(options.name);
  if (!chosen) return complain("new", explain_unknown(options.name));
  if (const std::string problem = find_problem(*chosen, options.contents); !problem.empty())
    return complain("new", problem);
  const std::string text = chosen->make(options.contents);
  if (options.out.empty()) {
    fmt::print("{}", text);
    return exit_done;
  }
  std::string problem;
  if (!write_whole_file(options.out, text, replace_if(options.force), problem))
    return complain("new", problem);
  fmt::print("Written: {}\nNext: cartan run {}\n", options.out, options.out);
  return exit_done;
}

}  // namespace cartan::cli
