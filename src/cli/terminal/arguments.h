// The words of a command line, declared and read; the parser itself stays in one source file.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace cartan::model {
struct Model;
}  // namespace cartan::model

namespace cartan::cli {

class Arguments {
 public:
  // `example`: one or several lines a user can type.
  Arguments(const std::string& command, const std::string& summary, const std::string& example);
  ~Arguments();

  void positional(const std::string& name, const std::string& help, std::string& target);
  // One word or more.
  void positional(const std::string& name, const std::string& help,
                  std::vector<std::string>& target);

  // `name` with its dashes; `value`: what stands for the value in the help.
  void option(const std::string& name, const std::string& value, const std::string& help,
              std::string& target);
  // Numbers may be written as expressions: 2*pi; over parameters where the command has a model.
  void option(const std::string& name, const std::string& value, const std::string& help,
              std::optional<double>& target);
  void option(const std::string& name, const std::string& value, const std::string& help,
              std::optional<int>& target);
  // The same with a default, which stays where the option is not given.
  void option(const std::string& name, const std::string& value, const std::string& help,
              double& target);
  void option(const std::string& name, const std::string& value, const std::string& help,
              int& target);
  // Several words: the option repeated.
  void repeated(const std::string& name, const std::string& value, const std::string& help,
                std::vector<std::string>& target);
  // Several words, separated by commas.
  void list(const std::string& name, const std::string& value, const std::string& help,
            std::vector<std::string>& target);
  void flag(const std::string& name, const std::string& help, bool& target);
  // The options declared from here on stand under this title in the help; "": with the others.
  void group(const std::string& title);
  // Where the names in numbers come from: asked for only when a number has one. Null: there is no
  // such model, and that has been told.
  void names_from(std::function<std::unique_ptr<const Model>()> model);

  // The exit status when there is nothing left to do: help was asked for, or a word is wrong.
  std::optional<int> parse(const Words& words);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace cartan::cli
