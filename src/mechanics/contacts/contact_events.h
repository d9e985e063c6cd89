// What happens when surfaces meet, part, begin or cease to slide.
//
// Impact: M (v+ - v-) = J^T P + (constraints), over all contacts that touch together;
//   Newton    0 <= P_n,  g'+ + e g'- >= 0, complementary; friction |P_t| <= mu P_n against the
//             sliding after the impact
//   Poisson   compression to g' >= 0 with P_c, then expansion with at least e P_c
// Modes that follow: complementarity on the accelerations of all that touch and do not part.
#pragma once

#include <algorithm>
#include <span>

#include "mechanics/contacts/contact_tolerances.h"
#include "mechanics/contacts/impact_map.h"
#include "mechanics/forces/dry_friction.h"
#include "system/system.h"

namespace cartan::mechanics {

class ContactEvents {
 public:
  ContactEvents(const Mechanism<double>& mechanism, AccelerationSolver<double> solve,
                MotionWorkspace<double>& ws, State& state, JumpNotes& notes);

  // Margin `which` of calc_contact_margins fell through zero at the state.
  void change(int which);
  // Whatever is due at the state. True: something was.
  bool settle();
  // Whether the contacts that are closed stay as they are, decided for all together; the state
  // stays as it is.
  bool is_settled();
  // Modes of what is closed anew, without impacts.
  void decide_again();
  // These contacts of the model touch and stay.
  void close(std::span<const int> contacts);
  // These contacts of the model are closed, and stick where they rub; all others are open. "" or
  // why that is no mode.
  std::string hold(std::span<const int> contacts);
  // Modes of a state whose contacts touch and move along with each other; impacts are left to
  // settle().
  void start();
  // The impact that margin `which` leads to at the state, which stays as it is. False: no impact.
  // No phases: it has no solution (JumpNotes::problem).
  bool find_impact(int which, ImpactRecord& record);
  // "" or that friction makes the normal force of a sliding contact grow without bound here.
  std::string find_jam();
  // "" or which surfaces overlap, and by how much.
  std::string find_overlap();

 private:
  struct Touch {
    double gap = 0;
    Vec3<double> speed;  // g', sliding
    bool counts = true;
  };
  void measure();
  void find_touching();
  void fill_touching(const double* speeds);
  void clear_forces();
  void prepare();  // J of what touches, speeds and accelerations without contact forces, A
  struct ImpactSolution {
    Eigen::VectorXd P, after;   // impulses, speeds; three numbers per touching contact
    std::vector<char> decided;  // speeds that the law gives
    ImpactRecord record;
  };
  bool approaches() const;
  bool slides_on(int k) const;
  bool impact();
  bool solve_impact(ImpactSolution& impact);
  Impact make_note(int place, const Eigen::VectorXd& P, const Eigen::VectorXd& after);
  bool gains_energy(double lost, double kinetic);
  void decide_modes();
  bool choose_solution(const std::vector<int>& places, struct ContactSolution& solution);
  void set_modes(const std::vector<int>& places, struct ContactSolution& solution);
  void activate_rows(const std::vector<int>& places, const struct ContactSolution& solution);
  void keep_straight(const std::vector<int>& places, const std::vector<int>& chosen, int flag);
  struct RowChoice {
    int number;        // of A_
    bool across;       // this row and the next, across the direction in which a contact creeps
    double factor[2];  // of both
  };
  std::vector<int> choose_independent(const std::vector<int>& order) const;
  std::vector<RowChoice> choose_independent(const std::vector<RowChoice>& order) const;
  RowChoice across(int place) const;
  void hold_direction(int k);
  void announce(double time);
  void apply(const Eigen::VectorXd& impulses);
  void apply(const ImpactSolution& impact);
  void stop_bouncing(const std::vector<int>& places);
  void stop_rows(const std::vector<int>& numbers);
  void close_low_bounces();
  void begin_sliding();
  double row_speed(int number) const;  // of a number of A_, after fill_touching
  void expect_next(const std::vector<int>& places, const Eigen::VectorXd& forces);
  double respond(int row) const;
  void push(int row, double amount);
  bool rubs(int k) const;
  // Sliding slower than this has come to rest.
  double sticking_speed() const { return std::min(1e-9 * speed_, 1e-8); }
  double kinetic();
  std::string names_of(const std::vector<int>& contacts) const;
  std::string describe_sliding(int k) const;
  bool fail(std::string sentence);

  int& mode(int k) const { return state_.mode[mechanism_.contact_mode0 + k]; }
  int& row_flag(int row) const { return state_.mode[mechanism_.mode_count + row]; }
  double* v() const { return state_.x.data() + mechanism_.nq; }

  const Mechanism<double>& mechanism_;
  const AccelerationSolver<double> solve_;
  MotionWorkspace<double>& ws_;
  State& state_;
  JumpNotes& notes_;
  const int count_;
  std::vector<Touch> touch_;
  std::vector<int> touching_;                 // contacts
  std::vector<std::vector<int>> sources_of_;  // per row of a contact
  std::vector<std::vector<int>> terms_of_;
  double length_ = 1, speed_ = 1, acceleration_ = 1;  // scales
  int opened_ = -1;           // the contact whose normal force fell through zero
  int slipped_ = -1;          // the one whose friction reached its limit
  int met_ = -1;              // the one whose gap did
  int turning_ = -1;          // the one that cannot creep straight on
  bool keeping_ = false;      // asked whether all stays as it is
  double parting_ = parting;  // of the accelerations: less is none
  std::vector<double> still_;
  // of decide_modes: places that bounce lower than rounding, that begin to slide from rest
  std::vector<int> low_, begins_;
  // of prepare(): three numbers per touching contact
  Eigen::MatrixXd A_;
  Eigen::VectorXd speeds_, accelerations_;
};

}  // namespace cartan::mechanics
