#include "codegen/listing.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <unordered_map>

#include "codegen/statement_order.h"
#include "symbolic/operations.h"

namespace cartan::codegen {
namespace {

constexpr int longest_expression = 10;  // operations written into another expression

template <class Visit>
void for_each_operand_of(const ExpressionGraph& graph, int node, Visit&& visit) {
  const Instruction& i = graph.node(node);
  if (i.op == Op::call)
    for (const int argument : graph.arguments(i.b)) visit(argument);
  else
    for_each_operand(i, visit);
}

bool is_leaf(const ExpressionGraph& graph, int node) {
  const Op op = graph.node(node).op;
  return op == Op::constant || op == Op::input;
}

class Maker {
 public:
  Maker(const ExpressionGraph& graph, const PreparedFunction& function,
        const ListingOptions& options)
      : graph_(graph),
        function_(function),
        few_values_(options.few_values),
        state_(graph.size(), unseen),
        uses_(graph.size(), 0) {
    if (options.side_by_side) listing_.twins = find_twins(graph, function);
    int top = 0;
    for (const StoredArray& array : function.arrays)
      for (const int node : array.nodes) top = std::max(top, node + 1);
    mark_needed(top);
    is_temporary_.assign(graph_.size(), 0);
    if (!options.shared) return;
    find_pairs(top);
    find_inline_sets();
    choose_temporaries(top);
  }

  Listing make() {
    listing_.temporary_of.assign(graph_.size(), -1);
    listing_.solutions = function_.solutions;
    for (const std::size_t k : order_of_arrays()) {
      const StoredArray& array = function_.arrays[k];
      for (int entry = 0; entry < array.size(); ++entry) {
        if (array.nodes[entry] < 0) continue;
        place(array.nodes[entry]);
        add({Statement::Kind::store, array.nodes[entry], static_cast<int>(k), entry, false});
      }
      for (std::size_t b = 0; b < function_.blocks.size(); ++b)
        if (function_.blocks[b].rhs == static_cast<int>(k))
          add({Statement::Kind::solve, -1, static_cast<int>(b), 0, false});
    }
    if (few_values_) reorder();
    find_last_uses();
    for (int k = 0; k < static_cast<int>(listing_.statements.size()); ++k) {
      const Statement& s = listing_.statements[k];
      if (s.opens_pair && is_of_arguments(graph_.node(s.node).a)) listing_.turns.push_back(k);
    }
    place_turns();
    return std::move(listing_);
  }

 private:
  enum State : char { unseen, needed, placed };

  // Written without a temporary and without a solution of a block; its text is short.
  bool is_of_arguments(int node) const {
    const Instruction& x = graph_.node(node);
    if (x.op == Op::input) return !function_.solutions.count(x.a);
    if (is_temporary_[node]) return false;
    bool all = true;
    for_each_operand_of(graph_, node, [&](int k) { all = all && is_of_arguments(k); });
    return all;
  }

  // What uses the solutions of blocks comes after them.
  std::vector<std::size_t> order_of_arrays() const {
    std::vector<std::size_t> order(function_.arrays.size());
    std::iota(order.begin(), order.end(), 0);
    if (!function_.solutions.empty())
      std::rotate(order.begin(), order.begin() + function_.outputs, order.end());
    return order;
  }

  // need_: how many values must be kept to compute a node, as if nothing were shared (Sethi,
  // Ullman).
  void mark_needed(int top) {
    for (const StoredArray& array : function_.arrays)
      for (const int node : array.nodes)
        if (node >= 0) state_[node] = needed, ++uses_[node];
    for (int i = top - 1; i >= 0; --i)
      if (state_[i] != unseen)
        for_each_operand_of(graph_, i, [&](int k) {
          state_[k] = needed;
          // a sign is no operation: who uses -x uses x
          uses_[k] += is_negation(i) && uses_[i] > 1 ? uses_[i] : 1;
        });
    need_.assign(top, 0);
    for (int i = 0; i < top; ++i) {
      if (state_[i] == unseen || is_leaf(graph_, i)) continue;
      int most = 0, next = 0;
      for_each_operand_of(graph_, i, [&](int k) {
        if (need_[k] > most)
          next = most, most = need_[k];
        else
          next = std::max(next, need_[k]);
      });
      need_[i] = std::max(most, std::min(next + 1, 1 << 20));
    }
  }

  bool is_negation(int i) const {
    const Instruction& x = graph_.node(i);
    return x.op == Op::multiply && graph_.is_number(x.a, -1);
  }

  void find_pairs(int top) {
    std::unordered_map<int, int> sines;
    for (int i = 0; i < top; ++i)
      if (state_[i] != unseen && graph_.node(i).op == Op::sin) sines[graph_.node(i).a] = i;
    for (int i = 0; i < top; ++i) {
      if (state_[i] == unseen || graph_.node(i).op != Op::cos) continue;
      const auto sine = sines.find(graph_.node(i).a);
      if (sine == sines.end()) continue;
      partner_[i] = sine->second;
      partner_[sine->second] = i;
    }
  }

  // A set that one other set reads, and nothing else, may be written there.
  void find_inline_sets() {
    const std::vector<TwinSet>& sets = listing_.twins.sets;
    std::vector<int> readers(sets.size(), 0);
    for (const TwinSet& set : sets)
      for (const auto* operands : {&set.a, &set.b})
        if (const int read = listing_.twins.find(*operands); read >= 0) ++readers[read];
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const bool once = std::all_of(sets[s].nodes.begin(), sets[s].nodes.end(),
                                    [&](int node) { return uses_[node] == 1; });
      set_is_temporary_.push_back(once && readers[s] == 1 ? undecided : yes);
    }
  }

  // All of a set alike: by the one that comes first.
  bool decide_temporary(int node, bool by_itself) {
    const int set = listing_.set_of(node);
    if (set < 0) return by_itself;
    if (set_is_temporary_[set] == undecided) set_is_temporary_[set] = by_itself ? yes : no;
    return set_is_temporary_[set] == yes;
  }

  void choose_temporaries(int top) {
    std::vector<int> cost(top, 0);  // operations that its text adds to another
    for (int i = 0; i < top; ++i) {
      if (state_[i] == unseen || is_leaf(graph_, i)) continue;
      int sum = is_negation(i) ? 0 : 1;
      for_each_operand_of(graph_, i, [&](int k) { sum += is_temporary_[k] ? 0 : cost[k]; });
      cost[i] = sum;
      if (is_negation(i)) continue;
      is_temporary_[i] =
          decide_temporary(i, uses_[i] > 1 || sum > longest_expression || partner_.count(i) > 0);
    }
  }

  // Places what `root` needs, then root, by an explicit stack.
  void place(int root) {
    stack_.push_back(root);
    while (!stack_.empty()) {
      const int node = stack_.back();
      if (state_[node] == placed || is_leaf(graph_, node)) {
        stack_.pop_back();
        continue;
      }
      operands_.clear();
      for_each_twin(node, [&](int twin) {
        for_each_operand_of(graph_, twin, [&](int k) {
          if (state_[k] != placed && !is_leaf(graph_, k)) operands_.push_back(k);
        });
      });
      if (!operands_.empty()) {  // the most demanding last, so that it is taken first
        std::stable_sort(operands_.begin(), operands_.end(),
                         [&](int x, int y) { return need_[x] < need_[y]; });
        stack_.insert(stack_.end(), operands_.begin(), operands_.end());
        continue;
      }
      stack_.pop_back();
      const auto partner = partner_.find(node);
      if (partner == partner_.end()) {
        finish(node, false);
        continue;
      }
      const bool sine_first = graph_.node(node).op == Op::sin;
      finish(sine_first ? node : partner->second, true);
      finish(sine_first ? partner->second : node, false);
    }
  }

  // Itself, where it has none.
  template <class Visit>
  void for_each_twin(int node, Visit&& visit) const {
    const int set = listing_.set_of(node);
    if (set < 0) return visit(node);
    for (const int twin : listing_.twins.sets[set].nodes) visit(twin);
  }

  void finish(int node, bool opens_pair) {
    for_each_twin(node, [&](int twin) { state_[twin] = placed; });
    const Instruction& x = graph_.node(node);
    if (!seen_[static_cast<int>(x.op)]) {
      seen_[static_cast<int>(x.op)] = true;
      listing_.operations.insert(x.op);
    }
    if (is_table(x.op)) listing_.tables.insert(x.a);
    if (x.op == Op::call) listing_.calls.push_back(node);
    if (!is_temporary_[node]) return;
    const int set = listing_.set_of(node);
    add({Statement::Kind::temporary, set < 0 ? node : listing_.twins.sets[set].nodes[0], 0, 0,
         opens_pair});
    for_each_twin(node, [&](int twin) { listing_.temporary_of[twin] = listing_.temporaries(); });
    listing_.made_by.push_back(static_cast<int>(listing_.statements.size()) - 1);
    listing_.width.push_back(set < 0 ? 1 : listing_.twins.sets[set].width());
  }

  void add(const Statement& statement) {
    listing_.statements.push_back(statement);
    reads_.emplace_back();
    if (statement.node < 0) return;
    // what it reads, through the nodes written into it
    operands_.clear();
    const auto read = [&](int k) { operands_.push_back(k); };
    const bool makes = statement.kind == Statement::Kind::temporary;
    if (makes)
      for_each_twin(statement.node, [&](int twin) { for_each_operand_of(graph_, twin, read); });
    else
      read(statement.node);
    std::vector<int>& reads = reads_.back();
    while (!operands_.empty()) {
      const int node = operands_.back();
      operands_.pop_back();
      const int temporary = listing_.temporary_of[node];
      if (temporary >= 0)
        reads.push_back(temporary);
      else
        for_each_operand_of(graph_, node, read);
    }
    std::sort(reads.begin(), reads.end());
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
  }

  // Sine and cosine of one angle stay together; what solves a block stays where it is.
  void reorder() {
    const int count = static_cast<int>(listing_.statements.size());
    std::vector<int> first_of;  // of what moves as one: the statement it begins with
    std::vector<int> group_of(count);
    std::vector<char> makes_value, kept;
    for (int k = 0; k < count; ++k) {
      const Statement& s = listing_.statements[k];
      if (k == 0 || !listing_.statements[k - 1].opens_pair) {
        first_of.push_back(k);
        makes_value.push_back(s.kind == Statement::Kind::temporary);
        kept.push_back(s.kind == Statement::Kind::solve);
      }
      group_of[k] = static_cast<int>(first_of.size()) - 1;
    }
    std::vector<std::vector<int>> reads(first_of.size());
    for (int k = 0; k < count; ++k)
      for (const int temporary : reads_[k])
        reads[group_of[k]].push_back(group_of[listing_.made_by[temporary]]);
    for (std::vector<int>& list : reads) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    std::vector<int> order;
    for (const int group : order_statements(reads, makes_value, kept))
      for (int k = first_of[group]; k < count && group_of[k] == group; ++k) order.push_back(k);
    apply_order(order);
  }

  // Temporaries keep the order of the statements that make them.
  void apply_order(const std::vector<int>& order) {
    std::vector<int> temporary_at(order.size(), -1), renumbered(listing_.made_by.size());
    for (std::size_t t = 0; t < listing_.made_by.size(); ++t)
      temporary_at[listing_.made_by[t]] = static_cast<int>(t);
    std::vector<Statement> statements;
    std::vector<std::vector<int>> reads;
    std::vector<int> made_by, width;
    for (const int k : order) {
      if (const int t = temporary_at[k]; t >= 0) {
        renumbered[t] = static_cast<int>(made_by.size());
        made_by.push_back(static_cast<int>(statements.size()));
        width.push_back(listing_.width[t]);
      }
      statements.push_back(listing_.statements[k]);
      reads.push_back(std::move(reads_[k]));
    }
    for (std::vector<int>& list : reads)
      for (int& t : list) t = renumbered[t];
    for (int& t : listing_.temporary_of)
      if (t >= 0) t = renumbered[t];
    listing_.statements = std::move(statements);
    listing_.made_by = std::move(made_by);
    listing_.width = std::move(width);
    reads_ = std::move(reads);
  }

  void find_last_uses() {
    listing_.last_use = listing_.made_by;
    for (std::size_t k = 0; k < reads_.size(); ++k)
      for (const int t : reads_[k]) listing_.last_use[t] = static_cast<int>(k);
  }

  // Sines that twins read together are neighbours, in their order.
  void place_turns() {
    std::unordered_map<int, int> turn_of;  // by sine and cosine
    for (std::size_t k = 0; k < listing_.turns.size(); ++k)
      for (const int cosine : {0, 1})
        turn_of[listing_.statements[listing_.turns[k] + cosine].node] = static_cast<int>(k);
    std::vector<int> place(listing_.turns.size(), -1);
    int next = 0;
    for (const TwinSet& set : listing_.twins.sets)
      for (const auto* operands : {&set.a, &set.b}) {
        std::set<int> read;
        for (const SignedNode& x : *operands)
          if (const auto found = turn_of.find(x.node); found != turn_of.end())
            if (place[found->second] < 0) read.insert(found->second);
        if (read.size() < operands->size()) continue;  // not all of them, or one twice
        for (const SignedNode& x : *operands) place[turn_of[x.node]] = next++;
      }
    for (int& p : place)
      if (p < 0) p = next++;
    listing_.turn_place = std::move(place);
  }

  const ExpressionGraph& graph_;
  const PreparedFunction& function_;
  bool few_values_;
  Listing listing_;
  std::vector<std::vector<int>> reads_;  // by statement: temporaries
  std::vector<char> state_, is_temporary_;
  std::array<bool, 256> seen_{};
  enum Answer : char { no, yes, undecided };
  std::vector<char> set_is_temporary_;
  std::vector<int> uses_, need_, stack_, operands_;
  std::unordered_map<int, int> partner_;  // of a sine its cosine and the other way round
};

}  // namespace

Listing make_listing(const ExpressionGraph& graph, const PreparedFunction& function,
                     const ListingOptions& options) {
  return Maker(graph, function, options).make();
}

}  // namespace cartan::codegen
