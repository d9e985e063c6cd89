#include "symbolic/print/print.h"

#include <algorithm>
#include <unordered_map>

#include "symbolic/count.h"
#include "symbolic/needed.h"
#include "symbolic/print/print_piece.h"

namespace cartan::symbolic {
namespace {

bool has_number_factor(const ExpressionGraph& graph, int i) {
  return graph.node(i).op == Op::multiply && graph.is_number(graph.node(i).a);
}

// The nodes that get names, ascending. A product with a number gets none: what it multiplies does.
std::vector<int> nodes_to_name(const ExpressionGraph& graph, const std::vector<int>& needed,
                               const PrintOptions& options) {
  struct Extent {
    int uses, operations, depth;  // as written out, names counted as nothing
  };
  PerNode<Extent> extent(graph);
  for (const int i : needed) extent[i] = {};
  for (const int i : needed) {
    if (has_number_factor(graph, i)) continue;
    for_each_operand(graph, i, [&](int k) { ++extent[graph.term(k).base].uses; });
  }
  std::vector<int> named;
  for (const int i : needed) {
    const Op op = graph.node(i).op;
    if (op == Op::constant || op == Op::input) continue;
    Extent& here = extent[i];
    here.operations = 1;
    for_each_operand(graph, i, [&](int k) {
      here.operations += extent[k].operations;
      here.depth = std::max(here.depth, extent[k].depth + 1);
    });
    if (has_number_factor(graph, i)) continue;
    if ((here.uses > 1 && here.operations >= options.worth) || here.operations > options.longest ||
        here.depth > options.deepest) {
      named.push_back(i);
      here.operations = here.depth = 0;
    }
  }
  return named;
}

Printed print(const ExpressionGraph& graph, std::span<const Expression> values,
              const PrintOptions& options, PrintStyle style) {
  const bool is_latex = style == PrintStyle::latex;
  std::unordered_map<int, std::string> names;
  std::vector<int> named;
  if (count_unshared(graph, values).total() > options.written_out)
    named = nodes_to_name(graph, needed_nodes(graph, nodes_of(values)), options);
  for (const int i : named) {
    const std::string number = std::to_string(names.size() + 1);
    names[i] = options.intermediate + (is_latex ? "_{" + number + "}" : number);
  }
  NameHook hook = options.names;
  if (!hook) hook = is_latex ? latex_name : [](const std::string& name) { return name; };
  const PiecePrinter printer(graph, style, hook, options.rank, [&](int i) {
    const auto at = names.find(i);
    return at == names.end() ? nullptr : &at->second;
  });

  Printed printed;
  for (const int i : named) printed.lines.push_back({names[i], printer.definition(i)});
  for (const Expression& x : values) {
    if (x.is_number())
      printed.values.push_back(printer.number(x.number()));
    else if (const auto at = names.find(x.node()); at != names.end())
      printed.values.push_back(at->second);
    else
      printed.values.push_back(printer.definition(x.node()));
  }
  return printed;
}

std::string one_string(const Printed& printed, const char* line_end) {
  std::string text;
  for (const PrintedLine& line : printed.lines) text += line.name + " = " + line.text + line_end;
  return text + printed.values[0];
}

}  // namespace

Printed print_text(const ExpressionGraph& graph, std::span<const Expression> values,
                   const PrintOptions& options) {
  return print(graph, values, options, PrintStyle::text);
}

Printed print_latex(const ExpressionGraph& graph, std::span<const Expression> values,
                    const PrintOptions& options) {
  return print(graph, values, options, PrintStyle::latex);
}

std::string to_text(const ExpressionGraph& graph, const Expression& value) {
  return one_string(print_text(graph, {&value, 1}), "\n");
}

std::string to_latex(const ExpressionGraph& graph, const Expression& value, const NameHook& names) {
  PrintOptions options;
  options.names = names;
  return one_string(print_latex(graph, {&value, 1}, options), " \\\\\n");
}

}  // namespace cartan::symbolic
