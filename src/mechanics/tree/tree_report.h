// From the numbers of an evaluation to the records users read, in the order of the file.
#pragma once

#include "mechanics/machine/mechanism_system.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

template <class S>
std::vector<S> initial_position(const Joint& joint, std::span<const S> parameters);
template <class S>
std::vector<S> initial_velocity(const Joint& joint, std::span<const S> parameters);

// Power of all nonconservative elements and of potentials that change by themselves.
template <class S>
S calc_nonconservative_power(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws);

// A force, or a drive, that does work which is not the loss of a potential.
struct WorkShare {
  bool drive = false;
  int element = 0;  // in forces or constraints
};
// Those of a mechanism, drives first, and whether the work of each is integrated beside that of
// all.
struct WorkSplit {
  std::vector<WorkShare> shares;
  bool gravity_works = false;  // it varies
  bool jumps_work = false;     // contacts and events that set speeds change the energy
  bool split = false;

  // Integrals that go with the state: the work of all, then of every share if it is split.
  int quadratures() const {
    if (shares.empty() && !gravity_works && !jumps_work) return 0;
    return 1 + (split ? static_cast<int>(shares.size()) : 0);
  }
  bool single() const { return shares.size() + (gravity_works ? 1 : 0) + (jumps_work ? 1 : 0) < 2; }
};
// Whether events of the model set speeds or positions.
bool has_jumps(const Model& model);
WorkSplit make_work_split(const Mechanism<double>& mechanism);

// What these quadratures integrate: the power of everything that is not conservative, then of every
// share. Needs the multipliers of drives.
template <class S>
void calc_powers(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, const WorkSplit& split,
                 S* powers);

// The integrals, `works` as many as there are, by force and constraint.
void fill_works(const Mechanism<double>& mechanism, const WorkSplit& split,
                std::span<const double> works, Observation& result);

// Needs kinematics and ws.kinetic, ws.potential; leaves `work` and `unit_norm_error` to the system.
void fill_observation(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                      Observation& result);

// ws.lambda of all rows, of least norm where some are redundant: what is reported. Needs
// solve_with_friction.
void use_least_multipliers(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws);

// What outputs ask for beside accelerations: least multipliers, reactions, accelerations of loop
// joints. Needs solve_with_friction and fill_loop_coordinates.
void fill_output_motion(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws);

// These need solve_with_friction.
DynamicsReport make_dynamics_report(const Mechanism<double>& mechanism,
                                    MotionWorkspace<double>& ws);
MassMatrixReport make_mass_matrix_report(const Mechanism<double>& mechanism,
                                         MotionWorkspace<double>& ws);
MovingFrameReport make_moving_frame_report(const Mechanism<double>& mechanism,
                                           MotionWorkspace<double>& ws);

}  // namespace cartan::mechanics
