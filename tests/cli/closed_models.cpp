#include "cli/closed_models.h"

#include <gtest/gtest.h>

namespace cartan::test {

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return at == std::string::npos ? text : text.replace(at, part.size(), by);
}

std::string four_bar_without_start(const std::string& guess) {
  std::string text = read_file(example_path("four_bar"));
  for (const char* line : {"position = \"start\"\n", "velocity = \"speed\"\n",
                           "position = \"beta - start\"\n", "velocity = \"beta_rate - speed\"\n",
                           "position = \"gamma\"\n", "velocity = \"gamma_rate\"\n"})
    text = replaced(text, line, "");
  const std::string closing = "child = { body = \"rocker\", at = [\"c\", 0, 0] }\n";
  return replaced(text, closing, closing + guess + "\n");
}

}  // namespace cartan::test
