#include "codegen/team_function.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>

#include <fmt/format.h>

#include "symbolic/operations.h"

namespace cartan::codegen {
namespace {

int weight_of(const ExpressionGraph& graph, int node) {
  const Instruction& i = graph.node(node);
  switch (i.op) {
    case Op::constant:
    case Op::input:
      return 0;
    case Op::add:
      return 1;
    case Op::multiply:
      return graph.is_number(i.a, -1) ? 0 : 1;
    case Op::divide:
    case Op::sqrt:
      return 8;
    case Op::abs:
    case Op::min:
    case Op::max:
    case Op::sign:
    case Op::step:
    case Op::if_positive:
      return 2;
    default:
      return 30;
  }
}

}  // namespace

long team_cost(const UnitPlan& plan, const PlannedFunction& function) {
  const ExpressionGraph& graph = *plan.unit.graph;
  std::vector<char> seen(graph.size(), 0);
  std::vector<int> open;
  for (const StoredArray& array : function.prepared.arrays)
    for (const int node : array.nodes)
      if (node >= 0) open.push_back(node);
  long cost = 0;
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    if (seen[node]) continue;
    seen[node] = 1;
    cost += weight_of(graph, node);
    for_each_operand(graph.node(node), [&](int k) { open.push_back(k); });
  }
  return cost;
}

std::string TeamNumbers::text_of(double number) {
  if (static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(number)) == 0)
    return "lane_number(" + c_number(number) + ")";
  const int next = static_cast<int>(place_.size());
  return fmt::format("TEAM_NUMBER({})", place_.emplace(number, next).first->second);
}

std::string TeamNumbers::list() const {
  std::vector<double> numbers(place_.size());
  for (const auto& [number, place] : place_) numbers[static_cast<std::size_t>(place)] = number;
  std::string text = "TEAM_NUMBERS = {0.0";
  for (const double number : numbers) text += ",\n  " + c_number(number);
  return text + "};\n";
}

TeamFunctionWriter::TeamFunctionWriter(const UnitPlan& plan, const CFlavour& flavour,
                                       const PlannedFunction& function, const TeamForm& form,
                                       TeamNumbers& numbers)
    : CFunctionWriter(plan, flavour, function), form_(form), numbers_(numbers) {
  find_tasks();
  choose_steps();
}

// Short steps or long ones: whose numbers move least. One that is far is waited for: about as long
// as four that are near.
void TeamFunctionWriter::choose_steps() {
  const auto cost = [](const TeamMemory& memory) {
    return memory.near_moves + 4 * memory.far_moves;
  };
  for (const int cost_of_waiting : {25, 50, 100}) {
    TeamSchedule schedule = schedule_team(tasks_, form_.roles, cost_of_waiting);
    TeamMemory memory = place_team_values(values_, schedule, form_.most_held, form_.most_near);
    if (schedule_.roles > 0 && cost(memory) >= cost(memory_)) continue;
    schedule_ = std::move(schedule);
    memory_ = std::move(memory);
  }
}

// A task is a statement, or the two of a pair sin, cos.
void TeamFunctionWriter::find_tasks() {
  const Listing& listing = function_.listing;
  values_.resize(listing.temporaries());
  for (int k = 0; k < static_cast<int>(listing.statements.size()); ++k) {
    const int number = static_cast<int>(tasks_.size());
    statements_.push_back({k});
    if (listing.statements[k].opens_pair) statements_.back().push_back(++k);
    std::vector<int> reads;
    TeamTask task;
    task.cost = 0;
    for (const int s : statements_.back()) {
      const Statement& statement = listing.statements[s];
      if (statement.kind == Statement::Kind::temporary) {
        task.cost = std::max(task.cost, cost_of(statement.node));
        for_each_operand(plan_.unit.graph->node(statement.node),
                         [&](int node) { add_reads(node, reads); });
        values_[listing.temporary_of[statement.node]].maker = number;
      } else {
        task.cost = cost_of(statement.node);
        add_reads(statement.node, reads);
      }
    }
    task.cost = std::max(1, task.cost);
    std::sort(reads.begin(), reads.end());
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
    std::set<int> needs;
    for (const int r : reads) {
      needs.insert(values_[r].maker);
      values_[r].users.push_back(number);
    }
    task.needs.assign(needs.begin(), needs.end());
    tasks_.push_back(std::move(task));
    reads_.push_back(std::move(reads));
  }
}

// Of a node and what is written into it.
int TeamFunctionWriter::cost_of(int node) const {
  const ExpressionGraph& graph = *plan_.unit.graph;
  int cost = weight_of(graph, node);
  for_each_operand(graph.node(node), [&](int k) {
    if (function_.listing.temporary_of[k] < 0) cost += cost_of(k);
  });
  return cost;
}

void TeamFunctionWriter::add_reads(int node, std::vector<int>& temporaries) const {
  const int temporary = function_.listing.temporary_of[node];
  if (temporary >= 0)
    temporaries.push_back(temporary);
  else
    for_each_operand(plan_.unit.graph->node(node), [&](int k) { add_reads(k, temporaries); });
}

// ------------------------------------------------------------------------------------------- texts

std::string TeamFunctionWriter::symbol(int argument, int entry) const {
  const std::string& name = plan_.names.argument(argument);
  if (entry < 0) return name;
  const char* const word = argument == 1 ? "TEAM_X" : argument == 2 ? "TEAM_P" : "TEAM_C";
  return fmt::format("{}({})", word, entry);
}

std::string TeamFunctionWriter::temporary(int number) const {
  return fmt::format("{}{}", plan_.names.temporary_prefix(), number + 1);
}

std::string TeamFunctionWriter::place_text(int value) const {
  const TeamPlace& place = memory_.places[value];
  return fmt::format("{}({})", place.kind == TeamPlace::Kind::near ? "TEAM_NEAR" : "TEAM_FAR",
                     place.slot);
}

std::string TeamFunctionWriter::task_text(int task) const {
  const Listing& listing = function_.listing;
  const ExpressionGraph& graph = *plan_.unit.graph;
  const std::vector<int>& own = statements_[task];
  const Statement& s = listing.statements[own[0]];
  if (s.kind == Statement::Kind::store)
    return fmt::format("  TEAM_OUT({}) = {};\n", s.entry, writer_.value(s.node));
  std::string text, names[2];
  for (std::size_t k = 0; k < own.size(); ++k) {
    const int value = listing.temporary_of[listing.statements[own[k]].node];
    names[k] = temporary(value);
    const bool is_held = memory_.places[value].kind == TeamPlace::Kind::held;
    if (own.size() == 2 && !is_held) text += fmt::format("  V {};\n", names[k]);
    if (own.size() == 1)
      text += fmt::format("  {}{} = {};\n", is_held ? "" : "const V ", names[k],
                          writer_.definition(s.node));
  }
  if (own.size() == 2)
    text += fmt::format("  lane_sincos({}, &{}, &{});\n", writer_.value(graph.node(s.node).a),
                        names[0], names[1]);
  for (const int k : own) {
    const int value = listing.temporary_of[listing.statements[k].node];
    if (memory_.places[value].slot >= 0)
      text += fmt::format("  {} = {};\n", place_text(value), temporary(value));
  }
  return text;
}

std::string TeamFunctionWriter::role_text(int role) const {
  const Listing& listing = function_.listing;
  std::string text =
      fmt::format("TEAM_ROLE void lane_{}_role{}(TEAM_PLACE, V t)\n{{\n", function_.name, role);
  for (std::size_t v = 0; v < values_.size(); ++v)
    if (memory_.places[v].kind == TeamPlace::Kind::held &&
        schedule_.role_of[values_[v].maker] == role)
      text += fmt::format("  TEAM_HELD V {};\n", temporary(static_cast<int>(v)));
  text += "  (void)t;\n";
  for (std::size_t step = 0; step < schedule_.steps.size(); ++step) {
    text +=
        step == 0 ? std::string("  TEAM_FIRST {\n") : fmt::format("  }} TEAM_NEXT({}) {{\n", step);
    std::set<int> known;
    for (const int task : schedule_.steps[step][role]) {
      for (const int value : reads_[task])
        if (memory_.places[value].slot >= 0 && known.insert(value).second)
          text += fmt::format("  const V {} = {};\n", temporary(value), place_text(value));
      text += task_text(task);
      for (const int k : statements_[task])
        if (listing.statements[k].kind == Statement::Kind::temporary)
          known.insert(listing.temporary_of[listing.statements[k].node]);
    }
  }
  return text + "  } TEAM_LAST\n}\n";
}

std::string TeamFunctionWriter::write_team() const {
  std::string text, cases;
  for (int role = 0; role < form_.roles; ++role) {
    text += role_text(role);
    cases += fmt::format("    case {}:\n      lane_{}_role{}(TEAM_PLACE_HERE, t);\n      break;\n",
                         role, function_.name, role);
  }
  return text + fmt::format(
                    "LANE_PART void lane_{}_team(TEAM_PLACE, int role, V t)\n{{\n"
                    "  switch (role) {{\n{}  }}\n}}\n",
                    function_.name, cases);
}

std::string TeamFunctionWriter::write_call(const std::string& head, int number) const {
  return fmt::format(
      "LANE_PART void lane_{0}_here(V t)\n{{\n  team_begin(t, {1});\n"
      "  TEAM_WORK(lane_{0}_team, {2}, t);\n}}\n"
      "{3}\n{{\n  (void)p, (void)c;\n  team_ask(x);\n  lane_{0}_here(t);\n"
      "  team_take<{4}>(out);\n}}\n",
      function_.name, number, steps(), head, function_.array(0).size());
}

}  // namespace cartan::codegen
