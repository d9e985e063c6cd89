#include "results/steady/linear_control.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "analysis/control/linear_model.h"
#include "analysis/control/riccati.h"
#include "analysis/control/structure.h"
#include "io/csv.h"
#include "mechanics/machine/state_expression.h"
#include "results/design/ik_targets.h"
#include "results/load/numbers.h"
#include "results/refusal.h"
#include "results/steady/control_channels.h"

namespace cartan::results {
namespace {

using Eigen::MatrixXd;

class ControlReporter {
 public:
  ControlReporter(const SteadyCase& steady, const Linearisation& linear,
                  const api::LinearizeOptions& options)
      : steady_(steady), linear_(linear), options_(options) {}

  ControlReport report() {
    channels_ = read_channels("linearize", *steady_.model, *steady_.system, options_.inputs,
                              options_.outputs, options_.frequency);
    model_ = make_linear_model(*steady_.problem, linear_, channels_.inputs, channels_.outputs);
    if (!model_.problem.empty()) refuse(model_.problem);
    tell_matrices();
    tell_structure();
    if (!channels_.frequencies.empty()) tell_response();
    if (!options_.lqr_q.empty() || !options_.lqr_r.empty()) add_regulator();
    return std::move(report_);
  }

 private:
  [[noreturn]] static void refuse(const std::string& message) {
    results::refuse("linearize", message);
  }

  // ------------------------------------------------------------------------------------ reading

  // A weight: numbers for the diagonal, NAME=NUMBER for some of it, or the rows of a matrix.
  MatrixXd read_weight(const std::string& option, const std::string& text,
                       const std::vector<std::string>& names) {
    const int n = static_cast<int>(names.size());
    const auto entries = *split_list("[" + text + "]");
    const auto whole = split_list(text);
    const std::vector<std::string> parts = whole ? *whole : entries;
    MatrixXd W = MatrixXd::Zero(n, n);
    const auto number = [&](const std::string& word) {
      std::string problem;
      const auto value = read_number(word, steady_.model.get(), problem);
      if (!value) refuse(option + ": " + problem);
      return *value;
    };
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (const auto sides = split_equation(parts[k])) {
        const double value = number(sides->second);
        const auto place = find_state(names, sides->first);
        if (place < 0)
          add_expression_weight(option, sides->first, names, value, W);
        else
          W(place, place) = value;
        continue;
      }
      const auto row = split_list(parts[k]);
      if (static_cast<int>(parts.size()) != n || (row && static_cast<int>(row->size()) != n))
        refuse(
            fmt::format("{}: expected {} numbers (for {}), NAME=NUMBER for some of them, or {} "
                        "rows [..] of a matrix",
                        option, n, join_names(names), n));
      for (int j = 0; j < (row ? n : 1); ++j) {
        W(static_cast<int>(k), row ? j : static_cast<int>(k)) = number(row ? (*row)[j] : parts[k]);
      }
    }
    if (!W.isApprox(W.transpose(), 1e-12)) refuse(option + ": the matrix must be symmetric");
    return W;
  }

  // A weight on an expression of the states: W += value c^T c with its gradient c.
  void add_expression_weight(const std::string& option, const std::string& text,
                             const std::vector<std::string>& names, double value, MatrixXd& W) {
    std::string problem = "not an input";
    const bool of_states = &names == &model_.states;
    const std::shared_ptr<const StateFunction> function =
        of_states ? make_state_function(*steady_.system, *steady_.model, text, problem) : nullptr;
    if (!function)
      refuse(fmt::format("{}: '{}' is none of {}: {}", option, text, join_names(names), problem));
    const LinearModel seen = make_linear_model(*steady_.problem, linear_, {}, {function});
    W += value * seen.C.transpose() * seen.C;
  }

  // track.q means track.q0.
  static int find_state(const std::vector<std::string>& names, const std::string& name) {
    for (std::size_t k = 0; k < names.size(); ++k)
      if (names[k] == name || names[k] == name + "0") return static_cast<int>(k);
    return -1;
  }
  static std::string join_names(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  }

  // ------------------------------------------------------------------------------------ telling

  void add_matrix(const char* name, const MatrixXd& matrix, const std::vector<std::string>& columns,
                  const char* file = nullptr) {
    report_.json[name] = json_of(matrix);
    std::string table;
    for (std::size_t k = 0; k < columns.size(); ++k)
      table += (k > 0 ? "," : "") + quoted_cell(columns[k]);
    table += '\n';
    report_.text += fmt::format("\n{}\n", name);
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
        if (j > 0) table += ',';
        append_number(table, matrix(i, j));
        report_.text += fmt::format(" {:16.10g}", matrix(i, j));
      }
      table += '\n';
      report_.text += '\n';
    }
    report_.files.push_back({file ? file : fmt::format("{}.csv", name), std::move(table)});
  }
  void tell_matrices() {
    report_.json["states"] = model_.states;
    report_.json["inputs"] = channels_.input_names;
    report_.json["outputs"] = channels_.output_names;
    report_.text += "\nstates: " + join_names(model_.states) + "\n";
    add_matrix("A", model_.A, model_.states);
    add_matrix("B", model_.B, channels_.input_names);
    add_matrix("C", model_.C, model_.states);
    add_matrix("D", model_.D, channels_.input_names);
    if (model_.M.size() == 0) return;
    const std::vector<std::string> p(model_.states.begin(),
                                     model_.states.begin() + model_.M.rows());
    Json second = {{"coordinates", p},
                   {"M", json_of(model_.M)},
                   {"C", json_of(model_.Cd)},
                   {"K", json_of(model_.K)},
                   {"F", json_of(model_.F)}};
    report_.json["second_order"] = std::move(second);
    std::string table = "matrix,row";
    for (const std::string& name : p) table += "," + quoted_cell(name);
    table += '\n';
    const std::pair<const char*, const MatrixXd*> all[] = {
        {"M", &model_.M}, {"C", &model_.Cd}, {"K", &model_.K}};
    for (const auto& [name, matrix] : all)
      for (Eigen::Index i = 0; i < matrix->rows(); ++i) {
        table += fmt::format("{},{}", name, i);
        for (Eigen::Index j = 0; j < matrix->cols(); ++j) {
          table += ',';
          append_number(table, (*matrix)(i, j));
        }
        table += '\n';
      }
    report_.files.push_back({"second_order.csv", std::move(table)});
  }

  // Rank, and the modes below the tolerance.
  Json reach_json(const Reach& reach, const char* word) {
    Json modes = Json::array(), lost = Json::array();
    for (const ModeMargin& mode : reach.modes) {
      const Json value = {mode.eigenvalue.real(), mode.eigenvalue.imag()};
      modes.push_back({{"eigenvalue", value}, {"margin", mode.margin}});
      if (mode.margin >= margin_tolerance) continue;
      lost.push_back(value);
      report_.text += fmt::format("  not {}: {:.10g} {:+.10g}i\n", word, mode.eigenvalue.real(),
                                  mode.eigenvalue.imag());
    }
    return {{"rank", reach.rank}, {"modes", std::move(modes)}, {"lost", std::move(lost)}};
  }

  void tell_structure() {
    const auto n = model_.A.rows();
    if (!channels_.inputs.empty()) {
      const Reach reach = find_controllability(model_.A, model_.B);
      report_.text += fmt::format("\ncontrollable: {} of {}\n", reach.rank, n);
      report_.json["controllability"] = reach_json(reach, "controllable");
    }
    if (!channels_.outputs.empty()) {
      const Reach reach = find_observability(model_.A, model_.C);
      report_.text += fmt::format("\nobservable: {} of {}\n", reach.rank, n);
      report_.json["observability"] = reach_json(reach, "observable");
    }
    if (channels_.inputs.empty() || channels_.outputs.empty()) return;
    if (channels_.inputs.size() == channels_.outputs.size())
      report_.json["zeros"] =
          complex_json(transmission_zeros(model_.A, model_.B, model_.C, model_.D));
    Json channels = Json::array();
    for (std::size_t i = 0; i < channels_.outputs.size(); ++i)
      for (std::size_t k = 0; k < channels_.inputs.size(); ++k) {
        const auto zeros = transmission_zeros(model_.A, model_.B.col(k), model_.C.row(i),
                                              model_.D.block(i, k, 1, 1));
        channels.push_back({{"input", channels_.input_names[k]},
                            {"output", channels_.output_names[i]},
                            {"zeros", complex_json(zeros)}});
        report_.text += fmt::format("\nzeros from {} to {}:", channels_.input_names[k],
                                    channels_.output_names[i]);
        for (const auto& zero : zeros)
          report_.text += fmt::format(" {:.8g}{:+.8g}i", zero.real(), zero.imag());
        report_.text += '\n';
      }
    report_.json["channels"] = std::move(channels);
  }

  void tell_response() {
    std::vector<ResponseChannel> channels;
    for (const std::string& output : channels_.output_names)
      for (const std::string& input : channels_.input_names)
        channels.push_back({input, output, {}});
    for (const double w : channels_.frequencies) {
      const Eigen::MatrixXcd G = frequency_response(model_, w);
      for (std::size_t c = 0; c < channels.size(); ++c)
        channels[c].values.push_back(G(c / channels_.inputs.size(), c % channels_.inputs.size()));
    }
    ResponseReport response = report_response(channels_.frequencies, channels);
    report_.json["frequency"] = {{"w", channels_.frequencies},
                                 {"responses", std::move(response.responses)}};
    for (auto& file : response.files) report_.files.push_back(std::move(file));
  }

  // ------------------------------------------------------------------------------------ the LQR

  void add_regulator() {
    if (channels_.inputs.empty()) refuse("--lqr-q, --lqr-r need --inputs: what may be steered?");
    if (options_.lqr_q.empty() || options_.lqr_r.empty())
      refuse("--lqr-q and --lqr-r go together: the weights of the states and of the inputs");
    const MatrixXd Q = read_weight("--lqr-q", options_.lqr_q, model_.states);
    const MatrixXd R = read_weight("--lqr-r", options_.lqr_r, channels_.input_names);
    const Regulator regulator = solve_regulator(model_.A, model_.B, Q, R);
    if (!regulator.problem.empty()) fail("linearize", "no regulator: " + regulator.problem);
    report_.text += "\nLQR gains, u = -K z:\n";
    for (Eigen::Index i = 0; i < regulator.K.rows(); ++i)
      for (Eigen::Index j = 0; j < regulator.K.cols(); ++j)
        report_.text += fmt::format("  {} by {}: {:.15g}\n", channels_.input_names[i],
                                    model_.states[j], regulator.K(i, j));
    report_.text += "closed-loop poles:\n";
    for (const auto& pole : regulator.poles)
      report_.text += fmt::format("  {:.15g} {:+.15g}i\n", pole.real(), pole.imag());
    const std::string definitions = definitions_text(regulator.K);
    report_.text += "\n" + definitions;
    report_.files.push_back({"lqr.toml", definitions});
    report_.json["lqr"] = {{"gains", json_of(regulator.K)},
                           {"poles", complex_json(regulator.poles)},
                           {"P", json_of(regulator.P)},
                           {"residual", regulator.residual},
                           {"removed",
                            {{"not_reached", describe(regulator.unreached)},
                             {"not_weighted", describe(regulator.unweighted)}}},
                           {"definitions", definitions}};
    tell_removed(regulator.unreached, "that no input reaches");
    tell_removed(regulator.unweighted, "that --lqr-q does not weigh");
  }

  // Each direction by its largest part.
  Json describe(const MatrixXd& directions) const {
    Json list = Json::array();
    for (Eigen::Index k = 0; k < directions.cols(); ++k) {
      Eigen::Index most;
      directions.col(k).cwiseAbs().maxCoeff(&most);
      list.push_back(model_.states[most]);
    }
    return list;
  }
  void tell_removed(const MatrixXd& directions, const char* why) {
    if (directions.cols() > 0)
      report_.notes.push_back(fmt::format("{} neutral direction{} {} {} left out (mostly {})",
                                          directions.cols(), directions.cols() > 1 ? "s" : "", why,
                                          directions.cols() > 1 ? "are" : "is",
                                          describe(directions).dump()));
  }

  // The change of a state from the steady motion as an expression of model files.
  std::string change_text(int k) const {
    const System& system = *steady_.system;
    const int number = model_.numbers[k];
    for (const StateBlock& block : system.space().blocks()) {
      const bool rotation = block.kind != StateBlock::Kind::vector;
      const int count = rotation ? block.size - 1 : block.size, i = number - block.tangent;
      if (i < 0 || i >= count) continue;
      if (!rotation || i >= 3) {
        const int x = block.x + i + (rotation ? 1 : 0);
        const double at = linear_.state.x[x];
        if (at == 0) return system.component_name(x);
        return fmt::format("({} - ({:.17g}))", system.component_name(x), at);
      }
      // the vector part of 2 u0^-1 u
      const double* u = &linear_.state.x[block.x];
      const int a = i, b = (i + 1) % 3, c = (i + 2) % 3;
      const auto name = [&](int j) { return system.component_name(block.x + j); };
      return fmt::format("2*(({:.17g})*{} - ({:.17g})*{} - ({:.17g})*{} + ({:.17g})*{})", u[0],
                         name(1 + a), u[1 + a], name(0), u[1 + b], name(1 + c), u[1 + c],
                         name(1 + b));
    }
    return "0";
  }

  std::string definitions_text(const MatrixXd& K) const {
    const std::vector<double> values = parameter_values(*steady_.model);
    std::string text =
        "# u = u0 - K (z - z0): use these names in place of the inputs\n[definitions]\n";
    for (Eigen::Index i = 0; i < K.rows(); ++i) {
      text +=
          fmt::format("lqr_{} = \"{:.17g}", channels_.input_names[i], values[channels_.inputs[i]]);
      for (Eigen::Index j = 0; j < K.cols(); ++j)
        if (std::fabs(K(i, j)) > 1e-12 * K.row(i).cwiseAbs().maxCoeff())
          text += fmt::format(" - ({:.17g})*{}", K(i, j), change_text(static_cast<int>(j)));
      text += "\"\n";
    }
    return text;
  }

  const SteadyCase& steady_;
  const Linearisation& linear_;
  const api::LinearizeOptions& options_;
  ControlChannels channels_;
  LinearModel model_;
  ControlReport report_;
};

}  // namespace

bool wants_control(const api::LinearizeOptions& o) {
  return !(o.inputs.empty() && o.outputs.empty() && o.frequency.empty() && o.lqr_q.empty() &&
           o.lqr_r.empty());
}

ControlReport report_control(const SteadyCase& steady, const Linearisation& linear,
                             const api::LinearizeOptions& options) {
  return ControlReporter(steady, linear, options).report();
}

}  // namespace cartan::results
