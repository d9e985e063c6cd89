#include "results/design/steer_code.h"

#include <algorithm>

#include <fmt/format.h>

#include "results/design/charted_derivation.h"
#include "symbolic/differentiate.h"
#include "symbolic/substitute.h"

namespace cartan::results {
namespace {

using PlaceOfContact = Derivation::PlaceOfContact;

const char* const no_input =
    "a condition at an end, or the final cost, depends on an input or on accelerations, which are "
    "not defined at a single time: ";

bool is_among(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

void append(Expressions& list, const Expressions& more) {
  list.insert(list.end(), more.begin(), more.end());
}

// One phase or junction on its way to compiled maps.
class MapMaker {
 public:
  MapMaker(SteerCode& code, const State& at)
      : code_(code), charted_(code.model, at, code.charts, code.inputs) {}

  std::string make_phase(const PhasePlan& plan, PhaseMaps& maps) {
    maps.numbers = charted_.parameter_values();
    const std::string problem = take_outputs();
    if (!problem.empty()) return problem;
    for (const auto part : {&MapMaker::make_stage, &MapMaker::make_ends})
      if (const std::string no = (this->*part)(plan, maps); !no.empty()) return no;
    if (const std::string no = make_closure(plan.closure_rows, maps); !no.empty()) return no;
    return make_chart(maps);
  }

  std::string make_junction(const JunctionPlan& plan, JunctionMap& junction);
  std::string make_span(const SpanPlan& plan, std::unique_ptr<SmoothMap>& map);
  std::vector<double> numbers() const { return charted_.parameter_values(); }

 private:
  Derivation& derivation() { return charted_.derivation(); }

  std::string take_outputs() {
    const std::vector<Output>& all = code_.model.outputs;  // inputs are among them
    const auto own = std::count_if(all.begin(), all.end(),
                                   [](const Output& output) { return !output.is_input; });
    outputs_ = own > 0 ? derivation().outputs() : Expressions();
    if (static_cast<std::ptrdiff_t>(outputs_.size()) == own) return "";
    return "reactions and multipliers cannot be part of costs and conditions";
  }
  Expressions outputs_of(const std::vector<int>& which) {
    Expressions list;
    for (const int k : which) list.push_back(outputs_[k]);
    return charted_.charted(list);
  }
  Expression output_or_zero(int which) {
    return which < 0 ? Expression(0) : outputs_of({which})[0];
  }

  MapCompiler compiler(Expressions bases) {
    append(bases, charted_.parameters());
    return {code_.model, charted_.graph(), std::move(bases), code_.without_curvature};
  }
  Expressions both_bases() const {
    Expressions bases = charted_.base();
    append(bases, charted_.other_base());
    return bases;
  }
  Expressions coordinates_and_time() {
    Expressions list = charted_.y();
    list.push_back(derivation().time());
    return list;
  }

  std::string make_stage(const PhasePlan& plan, PhaseMaps& maps) {
    const Expressions rates = derivation().rates();
    Expressions f = charted_.charted(charted_.coordinate_rates(rates));
    f.push_back(output_or_zero(code_.outputs.integral));
    append(f, outputs_of(code_.outputs.phases[plan.phase].paths));
    append(f, charted_.charted(contact_paths(plan, rates, maps)));
    Expressions z = charted_.y();
    append(z, charted_.u());
    z.push_back(derivation().time());
    std::string problem;
    maps.stage = compiler(charted_.base()).make("stage", z, f, problem);
    return maps.stage ? "" : problem;
  }

  // What is closed presses, and sticks: N >= 0, |T| <= mu N. With one tangent that is linear in the
  // forces; otherwise squares are compared, which is smooth. What is open does not overlap; a
  // contact that does not count everywhere (`active`) is looked at afterwards.
  Expressions contact_paths(const PhasePlan& plan, const Expressions& rates, PhaseMaps& maps) {
    using Kind = PhaseMaps::ContactPath::Kind;
    Expressions list;
    const auto add = [&](const PlaceOfContact& place, Kind kind, const Expression& value) {
      list.push_back(value);
      maps.contacts.push_back({kind, place.contact});
    };
    for (const PlaceOfContact& place : derivation().contacts()) {
      if (!place.closed && !place.active) add(place, Kind::gap, place.gap);
      if (is_among(plan.parting, place.contact))
        add(place, Kind::parting, rate_of(place.gap_rate, rates));
      if (!place.closed) continue;
      add(place, Kind::force, place.force[0]);
      add_cone(place, place.force[0], place.force + 1,
               [&](const Expression& value) { add(place, Kind::force, value); });
    }
    return list;
  }

  // Along the motion.
  Expression rate_of(const Expression& value, Expressions rates) {
    Expressions states = charted_.state();
    states.push_back(derivation().time());
    rates.push_back(1);
    return total_time_derivative(charted_.graph(), std::span<const Expression>(&value, 1), states,
                                 rates)[0];
  }

  template <class Add>
  static void add_cone(const PlaceOfContact& place, const Expression& normal,
                       const Expression* tangents, Add&& add) {
    if (place.rough || !(place.acts[1] || place.acts[2])) return;
    const Expression limit = place.friction * normal;
    if (place.acts[1] && place.acts[2]) {
      add(limit * limit - tangents[0] * tangents[0] - tangents[1] * tangents[1]);
      return;
    }
    const Expression& along = place.acts[1] ? tangents[0] : tangents[1];
    add(limit - along);
    add(limit + along);
  }

  std::string make_ends(const PhasePlan& plan, PhaseMaps& maps) {
    const int phase = plan.phase;
    const bool first = phase == 0;
    const bool last = phase + 1 == static_cast<int>(code_.outputs.phases.size());
    Expressions f = outputs_of(code_.outputs.phases[phase].ends);
    f.push_back(output_or_zero(last ? code_.outputs.final : -1));
    std::string problem;
    MapCompiler compile = compiler(charted_.base());
    maps.end = compile.make("finish", coordinates_and_time(), f, problem);
    if (!maps.end) return no_input + problem;
    if (!first || code_.outputs.starts.empty()) return "";
    maps.start =
        compile.make("begin", coordinates_and_time(), outputs_of(code_.outputs.starts), problem);
    return maps.start ? "" : no_input + problem;
  }

  std::string make_closure(const std::vector<int>& closure_rows, PhaseMaps& maps) {
    if (closure_rows.empty()) return "";
    const Expressions all = charted_.charted(derivation().constraint_values());
    Expressions rows, z = coordinates_and_time();
    Expression sum = 0;
    for (const int row : closure_rows) {
      rows.push_back(all[row]);
      z.push_back(charted_.graph().symbol(fmt::format("multiplier {}", rows.size()), 0.1));
      sum += z.back() * all[row];
    }
    append(rows, gradient(charted_.graph(), sum, charted_.y()));
    std::string problem;
    maps.closure = compiler(charted_.base()).make("closure", z, rows, problem);
    return maps.closure ? "" : problem;
  }

  std::string make_chart(PhaseMaps& maps) {
    if (code_.charts.quaternions().empty()) return "";
    std::string problem;
    MapCompiler compile(code_.model, charted_.graph(), both_bases(), code_.without_curvature);
    maps.chart =
        compile.make("chart", charted_.y(), charted_.around_other(charted_.place()), problem);
    return maps.chart ? "" : problem;
  }

  void add_impact(const JunctionPlan& plan, JunctionMap& junction, Expressions& impulses,
                  Expressions& change, Expressions& conditions);

  SteerCode& code_;
  ChartedDerivation charted_;
  Expressions outputs_;
};

// Impulses on all that is closed afterwards bring its speeds to what the law of impact wants:
//   g'+ + e g'- = 0,  t . u+ = 0;     P_n >= 0, |P_t| <= mu P_n;     what lets go parts, g'+ >= 0
void MapMaker::add_impact(const JunctionPlan& plan, JunctionMap& junction, Expressions& impulses,
                          Expressions& change, Expressions& conditions) {
  const std::vector<PlaceOfContact> places = derivation().contacts();
  std::vector<int> touching;
  std::vector<Derivation::ImpulseOnRow> pushes;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const int place = static_cast<int>(k);
    if (!places[k].closed && !is_among(plan.leaving, places[k].contact)) continue;
    touching.push_back(place);
    for (int r = 0; r < 3 && places[k].closed; ++r) {
      if (!places[k].acts[r]) continue;
      impulses.push_back(charted_.graph().symbol(fmt::format("impulse {}", impulses.size()), 0.1));
      pushes.push_back({place, r, impulses.back()});
      junction.impulses.push_back({places[k].contact, r});
    }
  }
  const Derivation::ImpactForm form = derivation().impact(touching, pushes);
  change = form.change;
  const auto number_of = [&](int place, int row) {
    return 3 * (std::find(touching.begin(), touching.end(), place) - touching.begin()) + row;
  };
  for (const auto& push : pushes) {
    const auto i = number_of(push.place, push.row);
    conditions.push_back(form.after[i]);
    if (push.row == 0) conditions.back() += places[push.place].restitution * form.before[i];
  }
  for (const PlaceOfContact& place : places)
    if (is_among(plan.closing, place.contact)) conditions.push_back(place.gap);
  const auto add = [&](const Expression& value) {
    conditions.push_back(value);
    junction.others.push_back({0, ValueBounds().high});
  };
  for (const int place : touching) {
    if (!places[place].closed) {
      add(form.after[number_of(place, 0)]);
      continue;
    }
    Expression P[3] = {0, 0, 0};
    for (const auto& push : pushes)
      if (push.place == place) P[push.row] = push.amount;
    add(P[0]);
    add_cone(places[place], P[0], P + 1, add);
    if (places[place].active && is_among(plan.closing, places[place].contact))
      add(*places[place].active);
  }
}

std::string MapMaker::make_junction(const JunctionPlan& plan, JunctionMap& junction) {
  junction.numbers = charted_.parameter_values();
  Expressions impulses, change, conditions;
  if (!plan.closing.empty()) add_impact(plan, junction, impulses, change, conditions);
  Expressions after = charted_.place();
  const int nq = derivation().nq();
  for (std::size_t k = 0; k < change.size(); ++k) after[nq + k] += change[k];
  Expressions named = after;
  for (std::size_t i = 0; i < plan.swap.size(); ++i) named[i] = after[plan.swap[i]];
  Expressions f = charted_.charted(charted_.around_other(named));
  append(f, charted_.charted(conditions));
  Expressions z = coordinates_and_time();
  append(z, impulses);
  std::string problem;
  junction.map = compiler(both_bases()).make("junction", z, f, problem);
  return junction.map ? "" : problem;
}

std::string MapMaker::make_span(const SpanPlan& plan, std::unique_ptr<SmoothMap>& map) {
  if (const std::string no = take_outputs(); !no.empty()) return no;
  const Expressions now = outputs_of(code_.outputs.spans);
  Expressions other_y;
  Expression other_time;
  const Expressions then = charted_.at_another(now, other_y, other_time);
  Expressions f, z = coordinates_and_time();
  for (std::size_t k = 0; k < now.size(); ++k)
    f.push_back(now[k] - then[k] - Expression(plan.amounts[k]) -
                Expression(plan.rates[k]) * (derivation().time() - other_time));
  append(z, other_y);
  z.push_back(other_time);
  std::string problem;
  map = compiler(both_bases()).make("span", z, f, problem);
  return map ? "" : "[advance]: " + problem;
}

}  // namespace

std::string make_phase_maps(SteerCode& code, const PhasePlan& plan, PhaseMaps& maps) {
  return MapMaker(code, plan.at).make_phase(plan, maps);
}

std::string make_junction_map(SteerCode& code, const State& at, const JunctionPlan& plan,
                              JunctionMap& junction) {
  return MapMaker(code, at).make_junction(plan, junction);
}

std::string make_span_map(SteerCode& code, const State& at, const SpanPlan& plan,
                          std::unique_ptr<SmoothMap>& map, std::vector<double>& numbers) {
  MapMaker maker(code, at);
  numbers = maker.numbers();
  return maker.make_span(plan, map);
}

}  // namespace cartan::results
