// Where everything is, and how far apart two motions are: the measure of compare's `difference` and
// of the error that run estimates. Largest over all bodies, metres and radians alike, or over all
// variables.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mechanics/machine/mechanism_system.h"

namespace cartan::results {

struct Place {
  double t = 0;
  std::vector<BodyState> bodies;
  std::vector<double> variables;
};

double distance(const Place& a, const Place& b);

class PlaceReader {
 public:
  explicit PlaceReader(const System& system);
  Place operator()(StateView at);

 private:
  const System& system_;
  std::unique_ptr<Workspace> workspace_;
  Observation now_;
};

// The places of a motion in order of time, thinned out so that there are never many: of the samples
// 0, 1, 2, ... those are kept whose number is a multiple of a power of two.
class Path {
 public:
  // Whether the next sample is one of those.
  bool wants() { return seen_++ % stride_ == 0; }
  void add(Place place);
  const std::vector<Place>& places() const { return places_; }

 private:
  std::vector<Place> places_;
  long seen_ = 0, stride_ = 1;
};

// Two motions from the same start, at the times both know.
struct Separation {
  double at_end = 0;           // distance of the last places
  double late = 0;             // largest distance in the last tenth
  double size = 0;             // how far the motion takes anything from its start
  std::optional<double> lost;  // from here on they have nothing to do with each other
  bool exponential = false;    // and got there faster than errors pile up: a chaotic motion
};
Separation compare_paths(const std::vector<Place>& a, const std::vector<Place>& b);

// The same while the second motion is on its way.
class SeparationWatch {
 public:
  // The whole of the first motion; must outlive the watch.
  explicit SeparationWatch(const std::vector<Place>& first);
  // Whether the first motion has a place at that time; times in ascending order.
  bool wants(double t);
  // The next place of the second one.
  void add(const Place& place);
  // For a tenth of the time they have come close by chance alone, and errors do not pile up like
  // that: no need to go on.
  bool is_chaotic() const;
  // Of what was seen, and how far apart the ends are.
  Separation result(const Place& last) const;

 private:
  struct Apart {
    double t = 0, distance = 0, largest = 0;  // then, and until then
  };
  bool is_exponential(double lost) const;

  const std::vector<Place>& first_;
  double begin_ = 0, span_ = 0, size_ = 0, limit_ = 0, end_ = 0;
  std::optional<double> lost_;  // when they were first farther apart than the limit
  long since_ = 0, far_ = 0;    // places since then, and of those far apart
  std::size_t next_ = 0;
  std::vector<Apart> apart_;
};

}  // namespace cartan::results
