#include "codegen/languages/twin_writer.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace cartan::codegen {

std::string TwinWriter::declare_type(const std::string& type, int width) {
  return fmt::format("typedef double {} __attribute__((vector_size({})));\n", type, 8 * width);
}

std::string TwinWriter::definition(int set) const {
  const Signed x = write_set(set);
  const std::string text = text_of(x);
  if (x.is_vector) return text;  // else it is 2 a beside -2 a, or the like
  return list(std::vector<std::string>(listing_.twins.sets[set].nodes.size(), text));
}

std::string TwinWriter::text_of(const Signed& x) const {
  return x.negative ? "-" + dialect_.at_least(x.magnitude, Binding::product) : x.magnitude.text;
}

// What the vector of the set holds.
TwinWriter::Signed TwinWriter::write_set(int set) const {
  const TwinSet& s = listing_.twins.sets[set];
  const Op op = graph_.node(s.nodes[0]).op;
  if (op == Op::add) return write_sum(write_term(s.a, s.flipped), write_term(s.b, s.flipped));
  const Signed a = write_held(s.a), b = write_held(s.b);
  const auto minus = [&](const std::vector<SignedNode>& nodes) {
    return listing_.twins.signs(graph_, nodes)[0] != 0;
  };
  const bool negative = (a.negative != b.negative) != (minus(s.a) != minus(s.b));
  return {negative,
          op == Op::multiply ? dialect_.product(a.magnitude, b.magnitude)
                             : dialect_.quotient(a.magnitude, b.magnitude),
          a.is_vector || b.is_vector};
}

TwinWriter::Signed TwinWriter::write_sum(const Signed& x, const Signed& y) const {
  const Signed& first = x.negative && !y.negative ? y : x;
  const Signed& second = &first == &x ? y : x;
  const bool both = first.negative && second.negative;
  const bool minus = second.negative && !both;
  return {both,
          {first.magnitude.text + (minus ? " - " : " + ") +
               dialect_.at_least(second.magnitude, Binding::product),
           Binding::sum},
          x.is_vector || y.is_vector};
}

// A term of what a vector holds. Where its signs differ from place to place, numbers have them;
// else they are a factor.
TwinWriter::Signed TwinWriter::write_term(const std::vector<SignedNode>& nodes,
                                          const std::vector<char>& flipped) const {
  std::vector<char> signs = listing_.twins.signs(graph_, nodes);
  for (std::size_t k = 0; k < signs.size(); ++k) signs[k] = signs[k] != flipped[k];
  Signed held = write_held(nodes);
  if (std::all_of(signs.begin(), signs.end(), [&](char sign) { return sign == signs[0]; })) {
    held.negative = held.negative != (signs[0] != 0);
    return held;
  }
  const bool numbers = are_numbers(graph_, nodes);
  std::vector<std::string> entries;
  for (std::size_t k = 0; k < signs.size(); ++k)
    entries.push_back((signs[k] ? "-" : "") +
                      dialect_.number(numbers ? std::fabs(graph_.number(nodes[k].node)) : 1.0));
  if (numbers) return {false, {list(entries), Binding::atom}};
  held.magnitude = dialect_.product({list(entries), Binding::atom}, held.magnitude);
  held.is_vector = true;
  return held;
}

// Without signs: numbers, one for all or several; one value for all; a set; or what stands apart,
// put together.
TwinWriter::Signed TwinWriter::write_held(const std::vector<SignedNode>& nodes) const {
  std::vector<std::string> entries;
  if (are_numbers(graph_, nodes)) {
    for (const SignedNode& x : nodes)
      entries.push_back(dialect_.number(std::fabs(graph_.number(x.node))));
    const bool same = std::all_of(entries.begin(), entries.end(),
                                  [&](const std::string& text) { return text == entries[0]; });
    return {false, {same ? entries[0] : list(entries), Binding::atom}, !same};
  }
  if (is_shared(nodes)) {
    const std::string text = numbers_.atom(nodes[0].node);
    const bool minus = text[0] == '-';
    return {minus, {minus ? text.substr(1) : text, Binding::atom}, false};
  }
  if (const int set = listing_.twins.find(nodes); set >= 0) {
    const int temporary = listing_.temporary_of[nodes[0].node];
    if (temporary < 0) return write_set(set);
    return {false, {dialect_.temporary(temporary), Binding::atom}};
  }
  for (const SignedNode& x : nodes) entries.push_back(numbers_.value(x.node));
  return {false, {list(entries), Binding::atom}};
}

// A vector; what fills it up repeats the first entry.
std::string TwinWriter::list(const std::vector<std::string>& entries) const {
  std::vector<std::string> all = entries;
  all.resize(std::bit_ceil(entries.size()), entries[0]);
  return fmt::format("({}){{{}}}", type(static_cast<int>(all.size())), joined(all, ", "));
}

}  // namespace cartan::codegen
