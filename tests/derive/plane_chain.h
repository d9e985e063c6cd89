// Plane chains that touch floors, walls and their stops: a program of its own, which shares nothing
// with src/, as a judge of the derivatives through events there.
//
// It integrates Lagrange's equations, written out by hand, over complex numbers. A start or a
// constant with the imaginary part 1e-100 gives a motion whose imaginary parts, times 1e100, are
// derivatives: nothing cancels, so they are exact to rounding (complex step). Branches are taken by
// real parts. The length of a phase is a complex number, found by Newton's method in complex
// numbers, so that derivatives of the instants of events come along and nothing here knows how a
// derivative changes across an event.
#pragma once

#include <array>
#include <complex>
#include <string>
#include <vector>

namespace cartan::test {

using Complex = std::complex<double>;

inline constexpr int most_plane_links = 3;
inline constexpr double complex_step = 1e-100;  // its square is nothing beside 1

// A vector in the plane.
struct PlaneVector {
  Complex x, y;
};

// Hinged at the end of the link before, the first at the origin; angles counter-clockwise. In the
// hinge the torque -stiffness (q - rest) - damping q'.
struct PlaneLink {
  PlaneVector end, com;  // in axes of the link, from its hinge
  Complex mass, inertia, stiffness, damping, rest;
};

// A place that may touch: a disc about a point of a link (radius 0: a point) above a line, or a
// hinge at a stop.
//   line   gap = normal . x - radius - offset
//   stop   gap = sign (q - offset)
struct PlanePlace {
  enum class Friction { none, coulomb, never_slides };
  bool stop = false;
  int link = 0;
  double sign = 1;
  PlaneVector point, normal;  // the normal has length 1
  Complex radius, offset, restitution, friction;
  Friction rubs = Friction::none;
  bool poisson = false;
};

struct PlaneChain {
  std::vector<PlaneLink> links;
  std::vector<PlanePlace> places;
  PlaneVector gravity;
};

// Angles of the hinges, then their rates.
using PlaneState = std::array<Complex, 2 * most_plane_links>;

// What happened, how often.
struct PlaneCounts {
  int bounces = 0, slipping_impacts = 0, sticking_impacts = 0, stop_impacts = 0, poisson = 0;
  int impacts_beside_contact = 0;                            // others were closed
  int sliding_phases = 0, sticking_phases = 0, holding = 0;  // holding: no friction
  int releases = 0, stop_releases = 0, begin_to_slide = 0, come_to_rest = 0, reversals = 0;
  int events = 0;

  void add(const PlaneCounts& more);
};

struct PlaneMotion {
  // "" or what the motion comes to that is none to compare: grazing (an event or a choice that is
  // one only just, or two events that come together), accumulation (impacts that follow each other
  // without end), gain (Newton's law would gain energy), redundant (forces that are not unique),
  // paradox (no motion obeys the laws, or several do: Painleve)
  std::string ends_in;
  double clear_until = 0;  // before that, well between two events; 0: there is no such time
  PlaneState end;
  PlaneCounts counts;
};

PlaneMotion run_plane_chain(const PlaneChain& chain, const PlaneState& start, double duration);

// The gap of a place, were its offset zero.
double gap_without_offset(const PlaneChain& chain, const PlanePlace& place, const PlaneState& x);

}  // namespace cartan::test
