// The viewer's document holds what the files of a run hold, and a page can carry it whatever it
// holds.
#include "report/viewer_data.h"

#include <cstring>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/viewer_page.h"

namespace cartan::test {
namespace {

using Json = nlohmann::json;

template <class T>
std::vector<T> unpack(const std::string& text) {
  static const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0, count = 0;
  for (char c : text) {
    if (c == '=') break;
    bits = bits << 6 | digits.find(c);
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  std::vector<T> numbers(bytes.size() / sizeof(T));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
  return numbers;
}

// One body, `count` rows; the number in row r and column c is r + c / 16.
ViewerRun make_run(std::size_t count) {
  ViewerRun run;
  run.label = "a";
  run.model = R"({"name": "</script><b>", "bodies": [{"name": "B"}]})";
  run.summary = "{}";
  run.bodies = {"B"};
  for (const char* name : {"bodies.csv", "trajectory.csv"}) {
    ViewerTable table{name, {}};
    table.rows.recorded = count;
    for (const char* column : {"t", "B.x", "B.y", "B.z", "B.qw", "B.qx", "B.qy", "B.qz"})
      table.rows.table.add(column);
    for (std::size_t c = 0; c < 8; ++c)
      for (std::size_t r = 0; r < count; ++r) table.rows.table.columns[c].push_back(r + c / 16.0);
    run.tables.push_back(table);
  }
  run.events = {{0.5, "hit", -1}};
  return run;
}

TEST(ViewerData, HoldsTheNumbersOfTheTables) {
  const std::size_t count = 11;
  const Json json = Json::parse(viewer_data({make_run(count)}, "run", "", {}));
  EXPECT_EQ(json["format"], "cartan-viewer-1");
  EXPECT_TRUE(json["modes"].is_null());
  const Json& run = json["runs"][0];
  EXPECT_EQ(run["events"][0], Json({{"t", 0.5}, {"name", "hit"}, {"direction", -1}}));
  EXPECT_EQ(unpack<double>(run["frames"]["t"]).size(), count);
  const std::vector<float> poses = unpack<float>(run["frames"]["poses"]);
  ASSERT_EQ(poses.size(), 7 * count);
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t c = 0; c < 7; ++c) EXPECT_EQ(poses[7 * r + c], r + (c + 1) / 16.0);
  const Json& table = run["tables"][1];
  EXPECT_EQ(table["type"], "f64");
  EXPECT_EQ(table["columns"].size(), 7u);
  const std::vector<double> data = unpack<double>(table["data"]);
  ASSERT_EQ(data.size(), 7 * count);
  for (std::size_t c = 0; c < 7; ++c)
    for (std::size_t r = 0; r < count; ++r) EXPECT_EQ(data[c * count + r], r + (c + 1) / 16.0);
}

TEST(ViewerData, ThinsPlotsAndSaysSo) {
  ViewerLimits limits;
  limits.samples = 20;
  const Json json = Json::parse(viewer_data({make_run(101)}, "run", "", limits));
  const Json& table = json["runs"][0]["tables"][1];
  EXPECT_EQ(table["recorded"], 101);
  EXPECT_EQ(table["every"], 6);
  const std::vector<double> t = unpack<double>(table["t"]);
  EXPECT_EQ(t.size(), table["count"]);
  EXPECT_LE(t.size(), 20u);
  EXPECT_EQ(t.front(), 0);
  EXPECT_EQ(t.back(), 100);
}

TEST(ViewerData, APageCarriesAnyText) {
  const std::string data = viewer_data({make_run(2)}, "run", "", {});
  const std::string page = page_with_data("<html><!--CARTAN-DATA--></html>", data);
  const std::string begin = "<script type=\"application/json\" id=\"cartan-data\">";
  const std::size_t from = page.find(begin) + begin.size();
  const std::size_t to = page.find("</script>");
  ASSERT_EQ(page.substr(to), "</script></html>");  // the only one
  EXPECT_EQ(Json::parse(page.substr(from, to - from)), Json::parse(data));
}

}  // namespace
}  // namespace cartan::test
