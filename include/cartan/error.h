// What functions throw: bad input with its places, or a computation that did not succeed.
//
//   try {
//     cartan::load("no_such_file.toml");
//   } catch (const cartan::Error& error) {
//     std::puts(error.what());  // the whole text, one line per problem
//     for (const cartan::Problem& problem : error.problems())
//       std::printf("%s, line %d\n", problem.file.c_str(), problem.line);
//   }
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <cartan/export.h>

namespace cartan::api {

// One thing that is wrong or worth a warning, and its place.
struct Problem {
  std::string file;      // or what stands for it: the name given with a text, an option
  int line = 0;          // from 1; 0: it belongs to no line
  int column = 0;        // from 1
  std::string message;   // what is wrong, and what was expected
  bool warning = false;  // the model can be used all the same
};

// Thrown by every function of the library that cannot give its result.
class CARTAN_API Error : public std::runtime_error {
 public:
  // Exit status 2 and 1 of the command.
  enum class Kind {
    bad_input,  // a file, a name or an option is wrong
    failed,     // the input is in order, but there is no result: no convergence, no such state
  };

  Error(Kind kind, const std::string& text, std::vector<Problem> problems = {})
      : std::runtime_error(text), kind_(kind), problems_(std::move(problems)) {}
  ~Error() override;

  // Whose fault it is.
  Kind kind() const { return kind_; }
  // All problems of the input at once; a single one without a place where there is none.
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  Kind kind_;
  std::vector<Problem> problems_;
};

}  // namespace cartan::api
