// A whole steering problem as a sparse program with exact derivatives: the phases one after the
// other (collocation_program.h), and what joins them.
//
// Unknowns: those of the phases, then the impulses P of the junctions. Rows: those of the phases,
// then
//   y after the junction (y_end, t_end, P) - y_start = 0,   t_end - t_start = 0
//   its conditions: equations of P and gaps that close, zero; impulses and cones, bounded
//   conditions on both ends of the motion
#pragma once

#include <memory>

#include "analysis/control/collocation_program.h"

namespace cartan::analysis {

class SteeringProgram final : public SparseProgram {
 public:
  // `guess` has the meshes, and the numbers to begin with; without impulses these follow from it.
  SteeringProgram(const SteeringProblem& problem, const SteeringMotion& guess);

  Eigen::VectorXd first_point() const;
  SteeringMotion motion_of(const Eigen::VectorXd& x) const;
  // Of one phase (CollocationProgram).
  Eigen::VectorXd input_gain(int phase, const Eigen::VectorXd& x,
                             const Eigen::VectorXd& multipliers, int k, int i);

  int unknowns() const override { return unknowns_; }
  int constraints() const override { return constraints_; }
  void fill_bounds(Eigen::VectorXd& lower, Eigen::VectorXd& upper, Eigen::VectorXd& low,
                   Eigen::VectorXd& high) const override;
  bool objective(const double* x, double& f) override;
  bool gradient(const double* x, double* entries) override;
  bool values(const double* x, double* g) override;
  const SparsePattern& jacobian_pattern() const override { return jacobian_; }
  bool jacobian(const double* x, double* entries) override;
  bool has_hessian() const override;
  const SparsePattern& hessian_pattern() const override { return hessian_; }
  bool hessian(const double* x, double factor, const double* weights, double* entries) override;

 private:
  // Rows that are a map of some unknowns, each less another unknown or not.
  struct MappedRows {
    const SmoothMap* map = nullptr;
    std::vector<double> a;
    std::vector<int> arguments;       // unknowns
    std::vector<int> row_of;          // per value of the map: its row, or -1
    std::vector<int> less;            // per value: the unknown, or -1
    std::vector<ValueBounds> bounds;  // per value
  };
  struct Part {
    std::unique_ptr<CollocationProgram> program;
    int unknown0 = 0, row0 = 0;
    int first_node() const { return unknown0 + program->first_node(); }
    int last_node() const { return unknown0 + program->last_node(); }
    int begin_time() const { return unknown0 + program->begin_time(); }
    int end_time() const { return unknown0 + program->end_time(); }
  };
  struct TimeRow {
    int row, from, to;
  };

  void add_junction(const SteeringJunction& junction);
  void add_span(const SteeringSpan& span);
  void add_patterns();
  void load_arguments(const MappedRows& rows, const double* x);
  Eigen::VectorXd likely_impulses(std::size_t junction) const;

  const SteeringProblem& problem_;
  const SteeringMotion& guess_;
  std::vector<Part> parts_;
  std::vector<MappedRows> mapped_;  // junctions, then spans
  std::vector<int> impulse0_;       // per junction
  std::vector<TimeRow> times_;
  int unknowns_ = 0, constraints_ = 0;
  SparsePattern jacobian_, hessian_;
  std::vector<double> z_, f_, numbers_, weights_;  // scratch
};

// Impulses that satisfy the equations of a junction at the end of a phase.
Eigen::VectorXd solve_impulses(const SteeringJunction& junction, const std::vector<double>& a,
                               const Eigen::VectorXd& y, double t);
// (base at its end, base at its start, numbers)
std::vector<double> junction_numbers(const SteeringJunction& junction,
                                     const SteeringMotion& motion);

}  // namespace cartan::analysis
