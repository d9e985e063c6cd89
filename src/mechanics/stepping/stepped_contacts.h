// The contacts of a mechanism for methods that step over them (system/contact_stepping.h): those
// of [[contact]] and stops one by one, those of [[contacts]] by a broad phase over all its shapes.
#pragma once

#include <functional>
#include <memory>

#include "mechanics/contacts/contact_element.h"
#include "mechanics/stepping/broad_phase.h"
#include "mechanics/stepping/narrow_phase.h"
#include "mechanics/stepping/part_response.h"
#include "system/contact_stepping.h"

namespace cartan::mechanics {

struct SteppedLaw {
  double restitution = 0, friction = 0;  // infinite: never slips
  const Formula* active = nullptr;
};

// A place near enough to touch.
struct NearPlace {
  std::uint64_t key = 0;
  int a = world, b = world;  // links; of a stop a alone
  int speed = -1;            // stop: the speed that runs into it, with `sign`
  double sign = 1;
  Vec3<double> point, normal;
  double gap = 0;
  const SteppedLaw* law = nullptr;
};

// Rate of its gap.
double rate_of(const NearPlace& place, const MotionWorkspace<double>& ws,
               std::span<const double> speeds);

// What was near at a state, and how it moved.
struct LookedAt {
  std::vector<double> x;
  double t = 0, horizon = -1;
  struct Place {
    std::uint64_t key;
    double gap, rate;
  };
  std::vector<Place> places;  // by key
};

// Scratch of one thread.
struct SteppingScratch {
  std::vector<Ball> balls;
  std::vector<Solid> solids;
  std::vector<double> margins;
  std::vector<BroadPhase> broad;
  TouchScratch touch;
  std::vector<TouchPlace> places;
  std::vector<NearPlace> near;
  std::vector<char> wanted;
  LookedAt start;
  PartResponse response;
};

class SteppedContacts : public ContactStepping {
 public:
  struct Scratch {
    MotionWorkspace<double>& motion;
    SteppingScratch& stepping;
  };
  using ScratchOf = std::function<Scratch(Workspace& workspace)>;
  using FillKinematics = std::function<void(StateView at, MotionWorkspace<double>& motion)>;
  // The mechanism has none of the contacts of its model.
  SteppedContacts(const Mechanism<double>& mechanism, const StateSpace& positions,
                  ScratchOf scratch, FillKinematics fill_kinematics);

  std::string refusal() const override { return refusal_; }
  const StateSpace& positions() const override { return positions_; }
  std::span<const int> speed_order() const override { return parts_.order; }
  std::string find_contacts(StateView start, StateView middle, double length, ContactSet& set,
                            Workspace& workspace) const override;
  void add_answer(std::span<const double> y, std::span<double> v,
                  Workspace& workspace) const override;
  double deepest_overlap(StateView at, double horizon, Workspace& workspace) const override;

 private:
  // A shape on a link.
  struct Piece {
    int link = world, body = world;
    Solid solid;  // in link axes
    std::shared_ptr<const Polyhedron> polyhedron;
  };
  struct Group {
    SteppedLaw law;
    std::vector<Piece> pieces, surfaces;
    std::uint64_t key0 = 0;
  };
  std::string find_refusal() const;
  void list_near(double horizon, MotionWorkspace<double>& ws, SteppingScratch& s) const;
  void add_group(const ContactGroup& group);
  void list_elements(double horizon, MotionWorkspace<double>& ws, SteppingScratch& s) const;
  void list_group(const Group& group, BroadPhase& broad, double horizon,
                  MotionWorkspace<double>& ws, SteppingScratch& s) const;
  void add_pair(const Group& group, const Piece& a, const Solid& at_a, const Piece& b,
                const Solid& at_b, double reach, std::uint64_t key, SteppingScratch& s) const;
  void look_at(StateView at, double horizon, Workspace& workspace) const;
  // Speeds at the start and in the middle.
  using Speeds = std::span<const double>;
  Speeds speeds_of(StateView at) const {
    return at.x.subspan(positions_.size(), parts_.place.size());
  }
  void fill_set(const MotionWorkspace<double>& ws, const SteppingScratch& s, Speeds start,
                Speeds middle, double length, ContactSet& set) const;
  void add_rows(const NearPlace& place, const MotionWorkspace<double>& ws, const SteppingScratch& s,
                ContactSet& set) const;
  bool counts(const SteppedLaw& law, MotionWorkspace<double>& ws) const;
  bool are_joined(int a, int b) const;

  const Mechanism<double>& mechanism_;
  const StateSpace& positions_;
  const ScratchOf scratch_;
  const FillKinematics fill_kinematics_;
  const SpeedParts parts_;
  std::vector<ContactElement<double>> elements_;
  std::vector<SteppedLaw> element_laws_;
  std::vector<Group> groups_;
  std::vector<std::pair<int, int>> joined_;  // bodies with a joint between them, sorted
  std::string refusal_;
};

// The same behind its interface: a program of a first run holds no time stepping (cli/first).
std::unique_ptr<ContactStepping> make_stepped_contacts(
    const Mechanism<double>& mechanism, const StateSpace& positions,
    SteppedContacts::ScratchOf scratch, SteppedContacts::FillKinematics fill_kinematics);

}  // namespace cartan::mechanics
