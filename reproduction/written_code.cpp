#include "reproduction/written_code.h"

#include <stdexcept>

#include <fmt/format.h>

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

}  // namespace

namespace {

constexpr const char* signature = "(const double* x, double* y) {\n";

// Functions of about this many characters: what a compiler takes grows faster than the length of a
// function, and at -O0 calls between them cost nothing beside the sines.
constexpr std::size_t long_part = 20000;

std::string write_in_full(const Writer& writer, const std::vector<Expression>& values) {
  std::string text, part, calls;
  int parts = 0;
  auto finish_part = [&] {
    text += fmt::format("static void part{}", parts) + signature + part + "}\n";
    calls += fmt::format("part{}(x, y);\n", parts++);
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
  return text + "void equations" + signature + calls + "}\n";
}

}  // namespace

std::string write_equations(const ExpressionGraph& graph, const std::vector<Expression>& values,
                            bool written_out) {
  const Writer writer(graph);
  std::string text = "#include <math.h>\n";
  if (written_out) return text + write_in_full(writer, values);
  text += std::string("void equations") + signature;
  writer.write_lines(values, text);
  for (std::size_t k = 0; k < values.size(); ++k)
    text += fmt::format("y[{}] = {};\n", k, writer.name(values[k]));
  return text + "}\n";
}

}  // namespace cartan::reproduction
