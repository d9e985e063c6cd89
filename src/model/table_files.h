// The files behind table("file.csv", "column", x): comma-separated numbers under a header row. The
// abscissa is the column named t or time, otherwise the first one; it must increase from row to
// row.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "expr/expression.h"
#include "model/consent.h"

namespace cartan::model {

class TableFiles {
 public:
  explicit TableFiles(std::string folder, Consent consent = {})
      : folder_(std::move(folder)), consent_(std::move(consent)) {}

  // Null, with the reason in `problem`, when there is no such table.
  std::shared_ptr<const TableFunction> find(const std::string& file, const std::string& column,
                                            Interpolation interpolation, Outside outside,
                                            std::string& problem);
  // Whether one of those found has no value outside of its range.
  bool has_bounded() const { return has_bounded_; }

 private:
  struct Columns {
    std::vector<std::string> names;
    std::vector<std::vector<double>> values;
    int abscissa = 0;
    std::string problem;  // why it could not be read
  };
  const Columns& columns(const std::string& file);
  static Columns read(const std::string& path);
  static void add_row(Columns& table, const std::string& line, const std::string& place);
  static void choose_abscissa(Columns& table, const std::string& file);

  std::string folder_;
  Consent consent_;
  std::map<std::string, Columns> files_;
  using Key = std::tuple<std::string, std::string, Interpolation, Outside>;
  std::map<Key, std::shared_ptr<const TableFunction>> tables_;
  bool has_bounded_ = false;
};

}  // namespace cartan::model
