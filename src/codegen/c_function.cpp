#include "codegen/c_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "codegen/languages/turn_helper.h"

namespace cartan::codegen {
namespace {

constexpr int fewest_zeros = 12;  // for a loop that sets them

// No name of a user begins with "_".
std::string scratch_array(int width) {
  return width == 1 ? "w" : fmt::format("_w{}", width);
}

bool is_scratch(const std::string& name) {
  return name.back() == ']';
}

std::string pointer(const std::string& type, const CFlavour& flavour, const std::string& name) {
  return type + (flavour.restrict_word.empty() ? "" : " ") + flavour.restrict_word + " " + name;
}

}  // namespace

std::string parameter_of_argument(const UnitPlan& plan, const CFlavour& flavour, int argument) {
  const std::string& name = plan.names.argument(argument);
  if (plan.unit.arguments[argument].scalar) return flavour.number_type + " " + name;
  return pointer("const " + flavour.number_type + "*", flavour, name);
}

std::string parameter_of_array(const CFlavour& flavour, const std::string& name) {
  return pointer(flavour.number_type + "*", flavour, name);
}

CFunctionWriter::CFunctionWriter(const UnitPlan& plan, const CFlavour& flavour,
                                 const PlannedFunction& function)
    : plan_(plan),
      flavour_(flavour),
      function_(function),
      writer_(*plan.unit.graph, plan.names, function.listing, *this),
      twin_writer_(*plan.unit.graph, function.listing, writer_, *this,
                   flavour.helper_prefix + "_vector") {
  for (const StoredArray& array : function.prepared.arrays) {
    int zeros = 0;
    for (const int node : array.nodes) zeros += node >= 0 && plan.unit.graph->is_number(node, 0);
    cleared_.push_back(zeros >= fewest_zeros && zeros > array.size() / 4);
  }
  cut();
  names_.resize(function.listing.temporaries());
  if (joins_turns(flavour, function)) name_turns();
  name_temporaries();
}

void CFunctionWriter::cut() {
  const int count = static_cast<int>(function_.listing.statements.size());
  const int parts = count <= flavour_.longest_function
                        ? 1
                        : (count + flavour_.longest_part - 1) / flavour_.longest_part;
  for (int k = 0, begin = 0; k < parts; ++k) {
    int end = static_cast<int>(static_cast<long>(count) * (k + 1) / parts);
    if (end < count && end > 0 && function_.listing.statements[end - 1].opens_pair) ++end;
    parts_.push_back({begin, end});
    begin = end;
  }
}

// The sines and cosines that are computed first keep their places in w.
void CFunctionWriter::name_turns() {
  const Listing& listing = function_.listing;
  const int count = static_cast<int>(listing.turns.size());
  turns_ = (count + turn_group - 1) / turn_group * turn_group;
  scratch_[1] = 2 * turns_;
  for (int k = 0; k < count; ++k)
    for (const int cosine : {0, 1}) {
      const int node = listing.statements[listing.turns[k] + cosine].node;
      names_[listing.temporary_of[node]] =
          fmt::format("w[{}]", listing.turn_place[k] + cosine * turns_);
    }
}

// A temporary that is used in the part that makes it is a variable there; another has a place in w,
// which is free again after the part that uses it last.
void CFunctionWriter::name_temporaries() {
  const Listing& listing = function_.listing;
  std::map<int, std::vector<int>> free;  // by width
  std::vector<std::vector<std::pair<int, int>>> freed(parts_.size());
  std::size_t part = 0;
  for (int k = 0; k < listing.temporaries(); ++k) {
    while (listing.made_by[k] >= parts_[part].end) {
      for (const auto& [width, slot] : freed[part]) free[width].push_back(slot);
      ++part;
    }
    if (!names_[k].empty()) continue;
    if (listing.last_use[k] < parts_[part].end) {
      names_[k] = fmt::format("{}{}", plan_.names.temporary_prefix(), k + 1);
      continue;
    }
    const int width = listing.width[k];
    std::vector<int>& slots = free[width];
    int slot = scratch_[width];
    if (slots.empty())
      ++scratch_[width];
    else
      slot = slots.back(), slots.pop_back();
    std::size_t last = part;
    while (listing.last_use[k] >= parts_[last].end) ++last;
    freed[last].push_back({width, slot});
    names_[k] = fmt::format("{}[{}]", scratch_array(width), slot);
  }
}

// ---------------------------------------------------------------------------------------
// statements

std::string CFunctionWriter::statements(int begin, int end) const {
  const Listing& listing = function_.listing;
  const ExpressionGraph& graph = *plan_.unit.graph;
  std::string text;
  auto declare = [&](int node) -> std::string {
    const int number = listing.temporary_of[node];
    const std::string name = temporary(number);
    return is_scratch(name) ? name : "const " + number_type(listing.width[number]) + " " + name;
  };
  for (int k = begin; k < end; ++k) {
    const Statement& s = listing.statements[k];
    switch (s.kind) {
      case Statement::Kind::temporary:
        if (turns_ > 0 && std::binary_search(listing.turns.begin(), listing.turns.end(), k)) {
          ++k;
          break;
        }
        if (s.opens_pair && flavour_.has_sincos) {
          const int other = listing.statements[++k].node;
          std::string name[2];
          for (int i = 0; i < 2; ++i) {
            name[i] = declare(i == 0 ? s.node : other);
            if (name[i].compare(0, 6, "const ") == 0) {
              name[i] = names_[listing.temporary_of[i == 0 ? s.node : other]];
              text += "  " + flavour_.number_type + " " + name[i] + ";\n";
            }
          }
          text += fmt::format("  {}sincos({}, &{}, &{});\n", flavour_.function_prefix,
                              writer_.value(graph.node(s.node).a), name[0], name[1]);
          break;
        }
        text += "  " + declare(s.node) + " = " +
                (listing.set_of(s.node) < 0 ? writer_.definition(s.node)
                                            : twin_writer_.definition(listing.set_of(s.node))) +
                ";\n";
        break;
      case Statement::Kind::store:
        if (is_cleared(s.array) && graph.is_number(s.node, 0)) break;
        text +=
            fmt::format("  {}[{}] = {};\n", array_name(s.array), s.entry, writer_.value(s.node));
        break;
      case Statement::Kind::solve:
        text += solve_text(function_.prepared.blocks[s.array]);
        break;
    }
  }
  return text;
}

std::string CFunctionWriter::solve_text(const DenseBlock& block) const {
  const std::string rhs = array_name(block.rhs);
  const std::string result = block.result >= 0 ? array_name(block.result) : "";
  std::string text = fmt::format("  {}solve_{}({}, {}, {}, {});\n", flavour_.helper_prefix,
                                 block.symmetric ? "symmetric" : "general", block.size,
                                 block.columns, array_name(block.matrix), rhs);
  const std::vector<int>& entries = block.result_entries;
  for (std::size_t begin = 0, end; begin < entries.size(); begin = end) {  // runs of neighbours
    end = begin + 1;
    while (end < entries.size() && entries[end] == entries[end - 1] + 1) ++end;
    if (end - begin < 4) {
      for (std::size_t k = begin; k < end; ++k)
        text += fmt::format("  {}[{}] = {}[{}];\n", result, entries[k], rhs, k);
    } else {
      text += fmt::format("  for (int i = 0; i < {}; ++i) {}[{}i] = {}[{}i];\n", end - begin,
                          result, entries[begin] ? fmt::format("{} + ", entries[begin]) : "", rhs,
                          begin ? fmt::format("{} + ", begin) : "");
    }
  }
  return text;
}

std::string CFunctionWriter::cleared_text() const {
  std::string text;
  for (std::size_t k = 0; k < cleared_.size(); ++k)
    if (cleared_[k])
      text += fmt::format("  for (int i = 0; i < {}; ++i) {}[i] = {};\n",
                          function_.array(static_cast<int>(k)).size(),
                          array_name(static_cast<int>(k)), number(0));
  return text;
}

std::string CFunctionWriter::turns_text() const {
  if (turns_ == 0) return "";
  const Listing& listing = function_.listing;
  std::vector<std::string> angles(turns_, number(0));
  for (std::size_t k = 0; k < listing.turns.size(); ++k) {
    const int sine = listing.statements[listing.turns[k]].node;
    angles[listing.turn_place[k]] = writer_.value(plan_.unit.graph->node(sine).a);
  }
  std::string text;
  for (int k = 0; k < turns_; ++k) text += fmt::format("  w[{}] = {};\n", k, angles[k]);
  return text + fmt::format("  {}turns({}, w);\n", flavour_.helper_prefix, turns_);
}

std::string CFunctionWriter::work_arrays() const {
  std::string text;
  for (std::size_t k = function_.outputs(); k < function_.prepared.arrays.size(); ++k)
    text += fmt::format("  {} {}[{}];\n", flavour_.number_type, function_.array_names[k],
                        function_.array(static_cast<int>(k)).size());
  for (const auto& [width, length] : scratch_)
    text += fmt::format("  {} {}[{}];\n", number_type(width), scratch_array(width), length);
  return text;
}

// ------------------------------------------------------------------------------------------- parts

void CFunctionWriter::take_used(std::vector<std::string>& parameters,
                                std::vector<std::string>& arguments) const {
  for (const int a : used_arguments_) {
    parameters.push_back(parameter_of_argument(plan_, flavour_, a));
    arguments.push_back(plan_.names.argument(a));
  }
  for (const int k : used_arrays_) {
    parameters.push_back(parameter_of_array(flavour_, function_.array_names[k]));
    arguments.push_back(function_.array_names[k]);
  }
  for (const int width : used_scratch_) {
    parameters.push_back(pointer(number_type(width) + "*", flavour_, scratch_array(width)));
    arguments.push_back(scratch_array(width));
  }
}

std::string CFunctionWriter::write(const std::string& head) {
  std::string before, body = work_arrays();
  std::set<int> arguments_of_all, arrays_of_all;
  body += cleared_text() + turns_text();
  if (parts_.size() == 1) {
    body += statements(parts_[0].begin, parts_[0].end);
    arguments_of_all = used_arguments_;
    arrays_of_all = used_arrays_;
  } else {
    arguments_of_all = used_arguments_;
    arrays_of_all = used_arrays_;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      used_arguments_.clear();
      used_arrays_.clear();
      used_scratch_.clear();
      const std::string text = statements(parts_[k].begin, parts_[k].end);
      std::vector<std::string> parameters, arguments;
      take_used(parameters, arguments);
      const std::string name =
          fmt::format("{}{}_part{}", flavour_.helper_prefix, function_.name, k + 1);
      const std::string declared = flavour_.helper_prefix.find("::") != std::string::npos
                                       ? fmt::format("{}_part{}", function_.name, k + 1)
                                       : name;
      before += fmt::format("{}void {}({})\n{{\n{}}}\n\n", flavour_.part_qualifier, declared,
                            parameters.empty() ? "void" : joined(parameters, ", "), text);
      body += fmt::format("  {}({});\n", name, joined(arguments, ", "));
      arguments_of_all.insert(used_arguments_.begin(), used_arguments_.end());
      arrays_of_all.insert(used_arrays_.begin(), used_arrays_.end());
    }
  }
  std::string unused;
  for (int a = 0; a < plan_.names.arguments(); ++a)
    if (!arguments_of_all.count(a)) unused += fmt::format("  (void){};\n", plan_.names.argument(a));
  for (int k = 0; k < function_.outputs(); ++k)
    if (!arrays_of_all.count(k)) unused += fmt::format("  (void){};\n", function_.array_names[k]);
  return before + head + "\n{\n" + unused + body + "}\n";
}

// ------------------------------------------------------------------------------------- expressions

std::string CFunctionWriter::number(double magnitude) const {
  return flavour_.is_lane ? "lane_number(" + c_number(magnitude) + ")" : c_number(magnitude);
}

std::string CFunctionWriter::fused(const std::string& x, const std::string& y, const std::string& z,
                                   bool minus_product, bool minus_z) const {
  const char* const name = minus_product ? "fnma" : minus_z ? "fms" : "fma";
  return fmt::format("{}{}({}, {}, {})", flavour_.function_prefix, name, x, y, z);
}

std::string CFunctionWriter::temporary(int number) const {
  const std::string& name = names_[number];
  if (is_scratch(name)) used_scratch_.insert(function_.listing.width[number]);
  return name;
}

std::string CFunctionWriter::symbol(int argument, int entry) const {
  used_arguments_.insert(argument);
  const std::string& name = plan_.names.argument(argument);
  return entry < 0 ? name : fmt::format("{}[{}]", name, entry);
}

std::string CFunctionWriter::function(Op op, const std::vector<std::string>& x) const {
  switch (op) {
    case Op::sign:
      return flavour_.helper_prefix + "sign(" + x[0] + ")";
    case Op::step:
      return flavour_.helper_prefix + "step(" + x[0] + ")";
    case Op::min:
    case Op::max:
      return fmt::format("{}{}({}, {})", flavour_.helper_prefix, op == Op::min ? "min" : "max",
                         x[0], x[1]);
    case Op::if_positive:
      if (flavour_.is_lane) return fmt::format("lane_if_positive({}, {}, {})", x[0], x[1], x[2]);
      return fmt::format("({} > 0.0 ? {} : {})", x[0], x[1], x[2]);
    default:
      return flavour_.function_prefix + c_function_name(op) + "(" + joined(x, ", ") + ")";
  }
}

std::string CFunctionWriter::table(int table, int order, const std::string& x) const {
  const TableFunction& function = *plan_.unit.graph->table(table);
  return fmt::format("{}table({}table{}, {}, {}, {}, {}, {})", flavour_.helper_prefix,
                     flavour_.helper_prefix, table + 1, function.pieces().size(),
                     c_number(function.last()), static_cast<int>(function.outside()), order, x);
}

}  // namespace cartan::codegen
