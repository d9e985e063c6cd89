#include "reproduction/written_code.h"

#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "symbolic/flatten.h"
#include "symbolic/needed.h"

namespace cartan::reproduction {
namespace {

struct Piece {
  std::string text;
  int node = -1;  // written in place of the text
};

class Writer {
 public:
  explicit Writer(const ExpressionGraph& graph) : graph_(graph) {}

  std::string name(int i) const {
    if (graph_.is_number(i)) return fmt::format("({:.17g})", graph_.number(i));
    if (graph_.node(i).op == Op::input) return fmt::format("x[{}]", graph_.node(i).a);
    return fmt::format("z{}", i);
  }
  std::string name(const Expression& value) const {
    return value.is_number() ? fmt::format("{:.17g}", value.number()) : name(value.node());
  }
  bool is_leaf(int i) const { return graph_.is_number(i) || graph_.node(i).op == Op::input; }

  std::vector<Piece> pieces(int i) const {
    const Instruction x = lowered(graph_, i);
    auto binary = [&](const char* op) {
      return std::vector<Piece>{{"("}, {"", x.a}, {op}, {"", x.b}, {")"}};
    };
    switch (x.op) {
      case Op::add:
        return binary(" + ");
      case Op::subtract:
        return binary(" - ");
      case Op::multiply:
        return binary("*");
      case Op::divide:
        return binary("/");
      case Op::negate:
        return {{"(-"}, {"", x.a}, {")"}};
      case Op::sin:
        return {{"sin("}, {"", x.a}, {")"}};
      case Op::cos:
        return {{"cos("}, {"", x.a}, {")"}};
      case Op::sqrt:
        return {{"sqrt("}, {"", x.a}, {")"}};
      case Op::if_positive:
        return {{"("}, {"", x.a}, {" > 0 ? "}, {"", x.b}, {" : "}, {"", x.c}, {")"}};
      default:
        throw std::logic_error("an operation the pendulums do not have");
    }
  }

  // What remains to be written is on a stack: expressions are deep.
  void write_out(int root, std::string& text) const {
    std::vector<Piece> stack = {{"", root}};
    while (!stack.empty()) {
      const Piece piece = stack.back();
      stack.pop_back();
      if (piece.node < 0) {
        text += piece.text;
      } else if (is_leaf(piece.node)) {
        text += name(piece.node);
      } else {
        const std::vector<Piece> inner = pieces(piece.node);
        stack.insert(stack.end(), inner.rbegin(), inner.rend());
      }
    }
  }

  void write_lines(const std::vector<Expression>& values, std::string& text) const {
    for (const int i : lowered_nodes(graph_, nodes_of(values))) {
      if (is_leaf(i)) continue;
      text += fmt::format("double z{} = ", i);
      for (const Piece& piece : pieces(i)) text += piece.node < 0 ? piece.text : name(piece.node);
      text += ";\n";
    }
  }

 private:
  const ExpressionGraph& graph_;
};

constexpr const char* signature = "(const double* x, double* y) {\n";

// Functions of about this many characters: what a compiler takes grows faster than the length of a
// function, and at -O0 calls between them cost nothing beside the sines.
constexpr std::size_t long_part = 20000;

std::string write_in_full(const Writer& writer, const std::vector<Expression>& values,
                          const std::string& name) {
  std::string text, part, calls;
  int parts = 0;
  auto finish_part = [&] {
    text += fmt::format("static void {}_{}", name, parts) + signature + part + "}\n";
    calls += fmt::format("{}_{}(x, y);\n", name, parts++);
    part.clear();
  };
  for (std::size_t k = 0; k < values.size(); ++k) {
    part += fmt::format("y[{}] = ", k);
    if (values[k].is_number())
      part += writer.name(values[k]);
    else
      writer.write_out(values[k].node(), part);
    part += ";\n";
    if (part.size() > long_part) finish_part();
  }
  if (!part.empty()) finish_part();
  return text + "void " + name + signature + calls + "}\n";
}

// One function `name`.
std::string write_function(const ExpressionGraph& graph, const std::vector<Expression>& values,
                           const std::string& name, bool written_out) {
  const Writer writer(graph);
  if (written_out) return write_in_full(writer, values, name);
  std::string text = "void " + name + signature;
  writer.write_lines(values, text);
  for (std::size_t k = 0; k < values.size(); ++k)
    text += fmt::format("y[{}] = {};\n", k, writer.name(values[k]));
  return text + "}\n";
}

// M = L D L^T in place, and M^-1 b.
constexpr const char* elimination = R"c(
static void factorise(double* M) {
  for (int j = 0; j < N; ++j) {
    for (int k = 0; k < j; ++k) M[j*N + j] -= M[j*N + k]*M[j*N + k]*M[k*N + k];
    for (int i = j + 1; i < N; ++i) {
      for (int k = 0; k < j; ++k) M[i*N + j] -= M[i*N + k]*M[j*N + k]*M[k*N + k];
      M[i*N + j] /= M[j*N + j];
    }
  }
}
static void solve(const double* M, double* b, int stride) {
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < i; ++k) b[i*stride] -= M[i*N + k]*b[k*stride];
  for (int i = N - 1; i >= 0; --i) {
    b[i*stride] /= M[i*N + i];
    for (int k = i + 1; k < N; ++k) b[i*stride] -= M[k*N + i]*b[k*stride];
  }
}
)c";

// y = (u, a), a in its place among x.
constexpr const char* base_system = R"c(
static void base(double* x, double* M, double* y) {
  equations(x, M);
  factorise(M);
  double* a = M + N*N;
  solve(M, a, 1);
  for (int k = 0; k < N; ++k) x[place_of_a[k]] = y[N + k] = a[k], y[k] = x[place_of_u[k]];
}
)c";

// Phi' = (0 1; A) Phi with A = M^-1 d(f - M a) / d(q, u).
constexpr const char* variational_system = R"c(
  static double entries[ENTRIES], A[N*2*N];
  slopes(x, entries);
  for (int k = 0; k < N*2*N; ++k) A[k] = 0;
  for (int k = 0; k < ENTRIES; ++k) A[row_of[k]*2*N + column_of[k]] = entries[k];
  for (int j = 0; j < 2*N; ++j) solve(M, A + j, 2*N);
  double* change = y + 2*N;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < 2*N; ++j) {
      change[i*2*N + j] = phi[(N + i)*2*N + j];
      double sum = 0;
      for (int k = 0; k < 2*N; ++k) sum += A[i*2*N + k]*phi[k*2*N + j];
      change[(N + i)*2*N + j] = sum;
    }
)c";

std::string list_of(const char* name, const std::vector<int>& values) {
  return fmt::format("static const int {}[] = {{{}}};\n", name, fmt::join(values, ", "));
}

}  // namespace

std::string write_equations(const ExpressionGraph& graph, const std::vector<Expression>& values,
                            bool written_out) {
  return "#include <math.h>\n" + write_function(graph, values, "equations", written_out);
}

std::string write_derivatives(const ExpressionGraph& graph, const WrittenMotion& motion,
                              bool written_out) {
  const std::size_t size = motion.accelerations.size();
  std::string text = fmt::format("#include <math.h>\nenum {{ N = {}, ENTRIES = {} }};\n", size,
                                 motion.slopes.entries.size());
  text += list_of("place_of_a", motion.accelerations) + list_of("place_of_u", motion.speeds);
  text += write_function(graph, motion.values, "equations", written_out);
  text += elimination;
  text += base_system;
  const bool variational = !motion.slopes.entries.empty();
  if (variational) {
    text += list_of("row_of", motion.slopes.row) + list_of("column_of", motion.slopes.column);
    text += write_function(graph, motion.slopes.entries, "slopes", written_out);
  }
  text +=
      "void derivatives(double* x, const double* phi, double* y) {\n"
      "  static double M[N*(N + 1)];\n  base(x, M, y);\n";
  if (variational) text += variational_system;
  return text + "}\n";
}

}  // namespace cartan::reproduction
