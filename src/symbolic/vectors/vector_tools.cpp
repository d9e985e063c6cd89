#include "symbolic/vectors/vector_tools.h"

#include <fmt/format.h>

#include "symbolic/print/print.h"
#include "symbolic/substitute.h"

namespace cartan::symbolic {
namespace {

Vec3<Expression> mapped(const Vec3<Expression>& c, const ComponentMap& map) {
  return {map(c.x), map(c.y), map(c.z)};
}

std::string text_of(const ExpressionGraph& graph, const Vec3<Expression>& c) {
  return fmt::format("[{}, {}, {}]", to_text(graph, c.x), to_text(graph, c.y), to_text(graph, c.z));
}

}  // namespace

Vector map_components(const Vector& a, const ComponentMap& map) {
  Vector result;
  for (const Vector::Term& term : a.terms())
    result.add_term(*a.frames(), term.frame, mapped(term.c, map));
  return result;
}

Dyad map_components(const Dyad& a, const ComponentMap& map) {
  if (a.is_zero()) return a;
  const Mat3<Expression>& m = a.components();
  return {a.frame(),
          Mat3<Expression>::columns(mapped(m.c[0], map), mapped(m.c[1], map), mapped(m.c[2], map))};
}

SystemVector map_components(const SystemVector& a, const ComponentMap& map) {
  SystemVector result;
  for (const Vector& v : a.entries) result.entries.push_back(map_components(v, map));
  return result;
}

Vector substitute(const Vector& a, std::span<const Expression> symbols,
                  std::span<const Expression> by) {
  if (a.is_zero()) return a;
  ExpressionGraph& graph = a.frames()->graph();
  return map_components(a, [&](const Expression& x) { return substitute(graph, x, symbols, by); });
}

SystemVector substitute(const SystemVector& a, std::span<const Expression> symbols,
                        std::span<const Expression> by) {
  SystemVector result;
  for (const Vector& v : a.entries) result.entries.push_back(substitute(v, symbols, by));
  return result;
}

std::string to_text(const Vector& a) {
  std::string text;
  for (const Vector::Term& term : a.terms()) {
    Frames& frames = *a.frames();
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", text_of(frames.graph(), term.c),
                        frames.name({&frames, term.frame}));
  }
  return text.empty() ? "0" : text;
}

std::string to_text(const Dyad& a) {
  if (a.is_zero()) return "0";
  const Frames& frames = *a.frame().frames;
  const Mat3<Expression> rows = transpose(a.components());
  return fmt::format("[{}, {}, {}] {}", text_of(frames.graph(), rows.c[0]),
                     text_of(frames.graph(), rows.c[1]), text_of(frames.graph(), rows.c[2]),
                     frames.name(a.frame()));
}

}  // namespace cartan::symbolic
