// The equations of one phase of a steering problem on a mesh, as a sparse program with exact
// derivatives; steering_program.h joins phases.
//
// Unknowns: per interval k the start y_k, at every point i the motion y_ki and the input u_ki, and
// the end e_k; the last node; multipliers mu of the way back to the constraints; ends of arcs.
//   sum_j D_ij y_kj = h_k F(t_ki, y_ki, u_ki)          j = 0: the node
//   e_k = sum_j end_j y_kj
//   y_(k+1) = e_k around the base of node k + 1, minus (dc/dy)^T mu_(k+1);   c(y_(k+1)) = 0
#pragma once

#include "analysis/control/steering_problem.h"
#include "analysis/design/sparse_program.h"

namespace cartan::analysis {

class CollocationProgram final : public SparseProgram {
 public:
  // `guess` has the mesh, and the numbers to begin with.
  CollocationProgram(const SteeringPhase& phase, const PhaseMotion& guess);

  // Unknowns that other phases look at.
  int first_node() const { return node(0); }
  int last_node() const { return node(N_); }
  int begin_time() const { return theta(0); }
  int end_time() const { return theta(guess_.mesh.arcs); }

  Eigen::VectorXd first_point() const;
  PhaseMotion motion_of(const Eigen::VectorXd& x) const;
  // d (f + multipliers . g) / d u at point i of interval k: what moving the input would bring.
  Eigen::VectorXd input_gain(const Eigen::VectorXd& x, const Eigen::VectorXd& multipliers, int k,
                             int i);

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
  // Where an interval stands in time.
  struct Place {
    int arc;              // unknowns theta(arc), theta(arc + 1)
    double begin, width;  // parts of the arc
  };
  // Numbers at a point of an interval.
  struct Point {
    double t, h, sigma;
  };
  class Entries;  // writes a pattern, or numbers in its order

  int node(int k) const { return k * stride_; }
  int stage(int k, int i) const { return k * stride_ + n_ + i * (n_ + m_); }
  int input(int k, int i) const { return stage(k, i) + n_; }
  int finish(int k) const { return k * stride_ + n_ + s_ * (n_ + m_); }
  int multiplier(int k) const { return multipliers_ + (k - 1) * closures_; }  // of node k >= 1
  int theta(int a) const { return thetas_ + a; }

  int rows_of(int k) const { return k * rows_per_interval_; }
  int point_row(int k, int i) const { return rows_of(k) + i * n_; }
  int finish_row(int k) const { return rows_of(k) + s_ * n_; }
  int link_row(int k) const { return finish_row(k) + n_; }
  int closure_row(int k) const { return link_row(k) + n_; }
  int path_row(int k, int i) const { return closure_row(k) + closures_ + i * paths_; }
  int node_path_row(int k) const { return path_row(k, s_); }  // of node k + 1

  bool is_open_at_end(int path) const;
  bool is_edge_alone(int path) const;
  Point point(const double* x, int k, double c) const;
  double node_time(const double* x, int k) const;
  // The unknowns and factors that the time of a node depends on.
  void node_time_parts(int k, int& arc, double& part) const;
  void load_stage(const double* x, int k, int i, double t);
  const double* numbers_at(int node) { return with_base_[node].data(); }
  void load_closure(const double* x, int k);
  void load_node(const double* x, int k);  // (y, u, t) of a node; inputs are not looked at
  void load_end(const double* x);
  void walk_jacobian(const double* x, Entries& entries);
  void walk_point(const double* x, int k, int i, Entries& entries);
  void walk_link(const double* x, int k, Entries& entries);
  void walk_node_path(const double* x, int k, Entries& entries);
  void walk_node_path_curvature(const double* x, int k, const double* weights, Entries& entries);
  void walk_ends(const double* x, Entries& entries);
  // Paths at both ends of the phase (collocation_edges.cpp).
  struct Terms;
  Terms edge_terms(bool last, int number) const;
  int edge_row(bool last) const {
    return edge_row_ + (last ? static_cast<int>(problem_.edge_paths.size()) : 0);
  }
  void load_edge(const double* x, bool last);
  void fill_edges(const double* x, double* g);
  void walk_edges(const double* x, Entries& entries);
  void walk_edge_curvatures(const double* x, const double* weights, Entries& entries);
  void walk_hessian(const double* x, double factor, const double* weights, Entries& entries);
  void walk_point_curvature(const double* x, int k, int i, double factor, const double* weights,
                            Entries& entries);
  // Curvatures of a map of (y, t, mu) at a node.
  void walk_node_curvature(const SmoothMap& map, const double* z, int k, const double* weights,
                           Entries& entries);
  void put_node(int row, int k, int column, double value, Entries& entries) const;

  const SteeringPhase& problem_;
  const PhaseMotion& guess_;
  const CollocationRule& rule_;
  int N_, s_, n_, m_, paths_, closures_;
  int stride_, multipliers_, thetas_, unknowns_;
  int rows_per_interval_, start_row_, start_closure_row_, end_row_, edge_row_, arc_row_;
  int duration_row_, constraints_;
  std::vector<Place> places_;
  std::vector<std::vector<double>> with_base_;   // per node: base, numbers
  std::vector<std::vector<double>> both_bases_;  // per interval: base, that of the next node
  SparsePattern jacobian_, hessian_;
  // scratch
  std::vector<double> z_, f_, slopes_, curvatures_, weights_, gain_;
};

}  // namespace cartan::analysis
