// What the programs that measure other engines share: the list of works, the order of measuring,
// the printed lines.
//
// A peer is a class with these members, each evaluation starting from joint coordinates and rates
// and reusing nothing; where the engine refuses the tree, `make` says so on stderr and returns
// nothing; `norm` is the Euclidean norm of the last result.
//
//   static std::unique_ptr<Peer> make(const Work&);
//   void forward();
//   void inverse();
//   void mass_matrix();
//   double norm(Quantity) const;
#pragma once

#include <cmath>
#include <cstdio>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "../timing.h"
#include "../work.h"

namespace cartan::bench {

enum class Quantity { forward, inverse, mass };

inline const char* calc_name(Quantity quantity) {
  switch (quantity) {
    case Quantity::forward:
      return "forward";
    case Quantity::inverse:
      return "inverse";
    case Quantity::mass:
      return "mass";
  }
  return "";
}

struct PeerRow {
  std::string work;
  Quantity quantity;
  double seconds;
  double norm;
};

template <class Peer>
void measure_row(Peer& peer, PeerRow& row) {
  double seconds = 0;
  switch (row.quantity) {
    case Quantity::forward:
      seconds = calc_min_seconds([&] { peer.forward(); });
      break;
    case Quantity::inverse:
      seconds = calc_min_seconds([&] { peer.inverse(); });
      break;
    case Quantity::mass:
      seconds = calc_min_seconds([&] { peer.mass_matrix(); });
      break;
  }
  row.seconds = std::min(row.seconds, seconds);
  row.norm = peer.norm(row.quantity);
}

// A norm that is not a number, which JSON cannot say, becomes null: the engine lost the solution.
inline void write_row(const char* engine, const std::string& version, const PeerRow& row) {
  char norm[32] = "null";
  if (std::isfinite(row.norm)) std::snprintf(norm, sizeof norm, "%.12g", row.norm);
  std::printf(R"({"engine": "%s", "version": "%s", "work": "%s", )", engine, version.c_str(),
              row.work.c_str());
  std::printf(R"("quantity": "%s", "us": %.4g, "norm": %s})"
              "\n",
              calc_name(row.quantity), 1e6 * row.seconds, norm);
}

// Arguments name the works wanted; none means all. One JSON object per line on stdout.
template <class Peer>
int run_peer(const char* engine, const std::string& version, int argc, char** argv) {
  // A disturbance on a shared machine lasts longer than one figure takes, so the whole list is gone
  // through again and each figure has chances far apart in time.
  constexpr int passes = 3;
  // A dense matrix of more columns takes some engines minutes and tells nothing that a smaller one
  // does not.
  constexpr int max_mass_speeds = 400;

  const std::vector<std::string> wanted(argv + 1, argv + argc);
  std::vector<std::unique_ptr<Peer>> peers;
  std::vector<PeerRow> rows;
  std::vector<Peer*> peer_of_row;
  for (const Work& work : make_standard_work()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), work.name) == wanted.end())
      continue;
    std::unique_ptr<Peer> peer = Peer::make(work);
    if (!peer) continue;
    for (Quantity quantity : {Quantity::forward, Quantity::inverse, Quantity::mass}) {
      if (quantity == Quantity::mass && work.speed_count() > max_mass_speeds) continue;
      rows.push_back({work.name, quantity, std::numeric_limits<double>::infinity(), 0});
      peer_of_row.push_back(peer.get());
    }
    peers.push_back(std::move(peer));
  }
  for (int pass = 0; pass < passes; ++pass)
    for (std::size_t i = 0; i < rows.size(); ++i) measure_row(*peer_of_row[i], rows[i]);
  for (const PeerRow& row : rows) write_row(engine, version, row);
  return 0;
}

}  // namespace cartan::bench
