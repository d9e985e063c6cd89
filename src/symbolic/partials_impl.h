// Implementation of for_each_partial.
#pragma once

#include <limits>

#include "core/folders.h"

namespace cartan::symbolic {
namespace partials_detail {

// x^y by x and by y.
int power_by_base(ExpressionGraph& graph, int x, int y);
int power_by_exponent(ExpressionGraph& graph, int x, int value);

template <class Wanted, class Visit>
void of_call(ExpressionGraph& graph, const Instruction& x, Wanted&& wanted, Visit&& visit) {
  const std::vector<int> arguments = graph.arguments(x.b);  // a copy: the lists grow
  for (int k = 0; k < static_cast<int>(arguments.size()); ++k) {
    if (!wanted(arguments[k])) continue;
    const int function = graph.derivative_function(x.a, k);
    const Expression slope =
        graph.make_call(function, arguments, std::numeric_limits<double>::quiet_NaN());
    visit(arguments[k], slope.node());
  }
}

}  // namespace partials_detail

template <class Wanted, class Visit>
void for_each_partial(ExpressionGraph& graph, int i, Wanted&& wanted, Visit&& visit) {
  const Instruction x = graph.node(i);  // a copy: the graph grows
  const auto both = [&](auto&& by_a, auto&& by_b) {
    if (wanted(x.a)) visit(x.a, by_a());
    if (wanted(x.b)) visit(x.b, by_b());
  };
  const auto product = [&](int a, int b) { return graph.make(Op::multiply, a, b); };
  switch (x.op) {
    case Op::constant:
    case Op::input:
      return;
    case Op::add:
      return both([&] { return graph.make_number(1); }, [&] { return graph.make_number(1); });
    case Op::multiply:
      return both([&] { return x.b; }, [&] { return x.a; });
    case Op::divide: {  // v = a / b:  1 / b and -v / b
      const int inverse = graph.make(Op::divide, graph.make_number(1), x.b);
      return both([&] { return inverse; },
                  [&] { return graph.make(Op::negate, product(i, inverse)); });
    }
    case Op::power:
      return both([&] { return partials_detail::power_by_base(graph, x.a, x.b); },
                  [&] { return partials_detail::power_by_exponent(graph, x.a, i); });
    case Op::atan2: {  // a = y, b = x:  x / r^2 and -y / r^2
      const int square = graph.make(Op::add, product(x.a, x.a), product(x.b, x.b));
      const int inverse = graph.make(Op::divide, graph.make_number(1), square);
      return both([&] { return product(x.b, inverse); },
                  [&] { return graph.make(Op::negate, product(x.a, inverse)); });
    }
    case Op::call:
      return partials_detail::of_call(graph, x, wanted, visit);
    case Op::table:
    case Op::table_slope:
    case Op::table_curvature:
    case Op::table_jerk:
      if (x.op != Op::table_jerk && wanted(x.b))
        visit(x.b, graph.make_table(graph.table(x.a), table_order(x.op) + 1, x.b));
      return;
    default:
      if (!wanted(x.a)) return;
      if (const int slope = slope_of_function(graph, x.op, x.a, i); slope >= 0) visit(x.a, slope);
  }
}

}  // namespace cartan::symbolic
