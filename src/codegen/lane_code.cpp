#include "codegen/lane_code.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "codegen/derivation.h"
#include "codegen/languages/emitters.h"
#include "codegen/team_function.h"
#include "codegen/unit_plan.h"
#include "symbolic/operations.h"
#include "symbolic/substitute.h"

namespace cartan::codegen {
namespace {

// Calls visit(operand) for the nodes a node is made of.
template <class Visit>
void for_each_part(const ExpressionGraph& graph, int node, Visit&& visit) {
  const Instruction& i = graph.node(node);
  if (i.op == Op::call)
    for (const int argument : graph.arguments(i.b)) visit(argument);
  else
    for_each_operand(i, visit);
}

class LaneUnit {
 public:
  LaneUnit(const LaneCodeRequest& request, LaneCode& code)
      : request_(request),
        code_(code),
        derivation_(*request.model, request.parameters, request.at, options_of(request)) {}

  void build() {
    const Model& model = *request_.model;
    if (model.implicit) return refuse("its variables have equations that are not solved for rates");
    if (derivation_.outputs_need_reactions() && wants_outputs())
      return refuse("an output asks for reactions or multipliers");
    if (derivation_.reads_turns() || keeps_turns())
      return refuse("angles of joints that close loops are followed beyond whole turns");
    add_functions();
    if (!code_.problem.empty()) return;
    look_at_start();
    hoist_constants();
    write();
  }

 private:
  static DeriveOptions options_of(const LaneCodeRequest& request) {
    DeriveOptions options;
    options.keep = request.inputs;
    return options;
  }
  ExpressionGraph& graph() { return derivation_.graph(); }
  void refuse(std::string why) { code_.problem = std::move(why); }
  bool wants_outputs() const {
    return std::any_of(request_.kept.begin(), request_.kept.end(), [](int k) { return k >= 0; });
  }

  bool keeps_turns() const {
    const Model& model = *request_.model;
    for (const int k : request_.kept)
      for (const Symbol& symbol :
           k >= 0 ? model.outputs[k].value.program.inputs : std::vector<Symbol>())
        if (symbol.quantity == Quantity::joint_q &&
            std::count(model.loop_joints.begin(), model.loop_joints.end(), symbol.index) > 0)
          return true;
    return false;
  }

  void add(const std::string& name, std::vector<Expression> values) {
    functions_.push_back({name, std::move(values)});
  }

  void add_functions() {
    const Model& model = *request_.model;
    code_.states = static_cast<int>(derivation_.state().size());
    code_.positions = derivation_.nq();
    code_.speeds = derivation_.nv();
    std::vector<Expression> rates = derivation_.rates();
    if (derivation_.is_constrained()) rates.push_back(derivation_.least_pivot());
    add("rates", std::move(rates));
    if (derivation_.nq() > 0) add("position_rates", derivation_.coordinate_rates());
    if (wants_outputs()) {
      std::vector<Expression> all = derivation_.outputs();
      std::vector<int> place(model.outputs.size(), -1);
      int next = 0;
      for (std::size_t k = 0; k < model.outputs.size(); ++k)
        if (!model.outputs[k].is_input) place[k] = next++;
      for (std::size_t k = 0; k < request_.kept.size(); ++k)
        if (request_.kept[k] >= 0) add(fmt::format("kept_{}", k), {all[place[request_.kept[k]]]});
    }
    if (request_.events) {
      add("events", derivation_.events());
      code_.events = static_cast<int>(model.events.size());
    }
    if (derivation_.is_constrained()) add_projection();
    first_of_start_ = functions_.size();
    add("start", derivation_.written_start());
    std::vector<Expression> settings;
    for (const Formula* formula :
         {&model.simulate.duration, &model.simulate.step, &model.simulate.tolerance})
      settings.push_back(formula->given() ? derivation_.evaluate_of_parameters(*formula)[0]
                                          : Expression(0));
    add("settings", std::move(settings));
  }

  void add_projection() {
    Derivation::ProjectionForm form = derivation_.projection();
    code_.rows = static_cast<int>(form.position.size());
    driven_ = form.driven;
    code_.is_driven = !driven_.empty();
    if (!form.driven.empty()) add("place", form.driven_values);
    start_rows_ = form.position;
    start_rows_.insert(start_rows_.end(), form.speed.begin(), form.speed.end());
    std::vector<Expression> all;
    for (const std::vector<Expression>& part : {form.position,
                                                {form.position_goal},
                                                form.moved_speed,
                                                {form.speed_goal},
                                                form.moved,
                                                form.changed})
      all.insert(all.end(), part.begin(), part.end());
    add(projecting_, std::move(all));
  }

  // Whether the start and the equations that it has to fulfil are the same for all runs.
  void look_at_start() {
    std::vector<char> varies(graph().size(), 0);
    for (const int i : request_.inputs) varies[derivation_.parameter_values()[i].node()] = 1;
    for (int i = 0; i < graph().size(); ++i)
      if (graph().node(i).op != Op::constant && graph().node(i).op != Op::input)
        for_each_part(graph(), i, [&](int k) { varies[i] |= varies[k]; });
    code_.start_is_fixed = true;
    const auto look_at = [&](const std::vector<Expression>& values) {
      for (const Expression& value : values)
        if (!value.is_number() && varies[value.node()]) code_.start_is_fixed = false;
    };
    for (const LaneFunction& f : functions_)
      if (f.name == "start" || f.name == "place") look_at(f.values);
    look_at(start_rows_);
    // assembly may change it by rounding: what it makes of the start is that of all runs
    std::vector<Expression>& start = functions_[first_of_start_].values;
    for (std::size_t i = 0; i < start.size(); ++i)
      if (!(std::fabs(start[i].sample() - request_.at.x[i]) <=
            1e-12 * std::max(1.0, std::fabs(request_.at.x[i]))))
        code_.start_is_fixed = false;
    if (code_.start_is_fixed && derivation_.is_constrained())
      std::copy_n(request_.at.x.begin(), start.size(), start.begin());
  }

  // Nodes that neither time nor the state goes into, where others begin to use them: constants of a
  // run.
  void hoist_constants() {
    std::vector<char> moves(graph().size(), 0), needed(graph().size(), 0), hoisted(graph().size());
    const auto is_moving_symbol = [&](int node) {
      if (!derivation_.time().is_number() && node == derivation_.time().node()) return true;
      for (const DerivedSymbol& s : derivation_.state())
        if (s.symbol.node() == node) return true;
      return false;
    };
    const int size = graph().size();
    for (int i = 0; i < size; ++i) {
      if (graph().node(i).op == Op::input) {
        moves[i] = is_moving_symbol(i);
        continue;
      }
      if (graph().node(i).op != Op::constant)
        for_each_part(graph(), i, [&](int k) { moves[i] |= moves[k]; });
    }
    std::vector<int> order;
    const auto take = [&](int node) {
      if (graph().is_number(node) || moves[node] || hoisted[node]) return;
      hoisted[node] = 1;
      order.push_back(node);
    };
    for (std::size_t f = 0; f < first_of_start_; ++f)
      for (const Expression& value : functions_[f].values)
        if (!value.is_number()) {
          needed[value.node()] = 1;
          take(value.node());
        }
    for (int i = size - 1; i >= 0; --i) {
      if (!needed[i] || !moves[i] || graph().node(i).op == Op::input) continue;
      for_each_part(graph(), i, [&](int k) {
        needed[k] = 1;
        take(k);
      });
    }
    std::sort(order.begin(), order.end());
    std::vector<Expression> from, to;
    for (std::size_t k = 0; k < order.size(); ++k) {
      from.push_back({graph(), order[k]});
      to.push_back(graph().symbol(fmt::format("constant of a run {}", k), from.back().sample()));
    }
    code_.constants = static_cast<int>(order.size());
    constants_ = to;
    for (std::size_t f = 0; f < first_of_start_; ++f)
      functions_[f].values = substitute(graph(), functions_[f].values, from, to);
    add("prepare", from);
  }

  void write() {
    CodeUnit unit;
    unit.name = "lane";
    unit.graph = &graph();
    unit.checks = false;
    unit.arguments.resize(4);
    unit.arguments[0].name = "t";
    unit.arguments[0].scalar = true;
    unit.arguments[0].symbols = {derivation_.time()};
    unit.arguments[1].name = "x";
    for (const DerivedSymbol& s : derivation_.state())
      unit.arguments[1].symbols.push_back(s.symbol);
    unit.arguments[2].name = "p";
    for (const int i : request_.inputs)
      unit.arguments[2].symbols.push_back(derivation_.parameter_values()[i]);
    unit.arguments[3].name = "c";
    unit.arguments[3].symbols = constants_;
    for (const LaneFunction& f : functions_)
      unit.functions.push_back({f.name, "", {column("out", f.values)}, std::nullopt});
    if (const std::string problem = problem_of(unit); !problem.empty()) return refuse(problem);
    const UnitPlan plan(unit);
    if (!plan.externals.empty()) return refuse("it calls functions in code of the user");
    code_.operations = plan.functions[0].shared.total();
    if (code_.operations < request_.team.fewest_operations || request_.team.near_bytes <= 0)
      code_.text = emit_lanes(plan);
    else
      write_for_team(plan);
    write_driven();
  }

  // The rates' code stays at hand where it fits beside that of the leading warps into the memory
  // for instructions of a multiprocessor (H200: 128 kB). An operation takes one and a half
  // instructions of 16 bytes (1.4 to 1.5 in what was compiled), the leading warps about 20 kB.
  static constexpr long code_bytes = 128 * 1024, leading_bytes = 20 * 1024, operation_bytes = 24;
  static constexpr long most_cached_operations = (code_bytes - leading_bytes) / operation_bytes;
  // A function with less than this to do is computed by the warps that lead, unless it is the one
  // that brings the state back to the constraints where it lies, with the team.
  static constexpr long fewest_shared_operations = 200;

  // Which teams: roles, copies, numbers held in registers (of 65536 for all threads).
  // Code at hand: as few roles as fill the four schedulers of a multiprocessor with two warps each
  // at 255 registers, since every role more is waiting and numbers that move. Code that is fetched
  // anew for every evaluation: six to eight roles, each at its own place in the code, keep the way
  // of instructions busy; two copies use what is fetched twice, unless the numbers of so many runs
  // leave the device's cache. docs/performance.md has what was measured.
  void write_for_team(const UnitPlan& plan) {
    std::set<std::string> shared;
    for (std::size_t f = 0; f < first_of_start_; ++f)
      if (team_cost(plan, plan.functions[f]) >= fewest_shared_operations ||
          plan.functions[f].name == projecting_)
        shared.insert(plan.functions[f].name);
    code_.text.clear();
    if (shared.count(plan.functions[0].name)) {
      if (code_.operations <= most_cached_operations)
        write_for_team(plan, shared, {2, 4, 50, 0});
      else if (!write_for_team(plan, shared, {6, 2, 40, 0}))
        write_for_team(plan, shared, {8, 1, 50, 0});
    }
    if (code_.text.empty()) code_.text = emit_lanes(plan);
  }

  // False: its numbers are more than the device has at hand.
  bool write_for_team(const UnitPlan& plan, const std::set<std::string>& shared, TeamForm form) {
    constexpr int lanes_of_warp = 32;
    const long row = static_cast<long>(sizeof(double)) * lanes_of_warp * form.copies;
    // one row beside those of the numbers; the state, the time and the step are near
    form.most_near = static_cast<int>(request_.team.near_bytes / row) - 3 - code_.states;
    if (form.most_near < 0) return false;
    TeamSizes sizes;
    code_.text = emit_team_lanes(plan, form, shared, sizes);
    code_.team = {form.roles, form.copies, sizes.near, sizes.far, sizes.outputs};
    // a quarter is for code and for what the leading warps keep
    return row * (sizes.far + sizes.outputs + 2 * code_.states) <= request_.team.far_bytes / 4 * 3;
  }

  // Numbers of driven joints go to their places.
  void write_driven() {
    std::string list;
    for (const int place : driven_) list += fmt::format("{}, ", place);
    code_.text +=
        fmt::format("LANE_FUNCTION void lane_put_driven(V t, V* x, const V* p, const V* c)\n{{\n");
    if (!driven_.empty()) {
      code_.text += fmt::format("  V out[{}];\n  lane_place(t, x, p, c, out);\n", driven_.size());
      for (std::size_t k = 0; k < driven_.size(); ++k)
        code_.text += fmt::format("  x[{}] = out[{}];\n", driven_[k], k);
    } else {
      code_.text += "  (void)t, (void)x, (void)p, (void)c;\n";
    }
    code_.text += "}\n";
  }

  struct LaneFunction {
    std::string name;
    std::vector<Expression> values;
  };
  const LaneCodeRequest& request_;
  LaneCode& code_;
  Derivation derivation_;
  std::vector<LaneFunction> functions_;
  std::size_t first_of_start_ = 0;  // those from here on belong to the beginning of a run
  std::vector<Expression> constants_;
  std::vector<int> driven_;
  const std::string projecting_ = "projected";
  std::vector<Expression> start_rows_;  // what a start has to fulfil: violations
};

}  // namespace

LaneCode make_lane_code(const LaneCodeRequest& request) {
  LaneCode code;
  LaneUnit(request, code).build();
  return code;
}

}  // namespace cartan::codegen
