#include "cli/fuzz_cases.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <mutex>
#include <regex>
#include <thread>

#include <unistd.h>

#include "cli/command_line.h"
#include "support/sanitized.h"

namespace cartan::test {
namespace fs = std::filesystem;
namespace {

// Seconds until a command is asked to stop.
constexpr double patience = sanitized ? 60 : 15;

std::string write(const fs::path& folder, const std::string& name, const std::string& content) {
  std::ofstream(folder / name, std::ios::binary) << content;
  return (folder / name).string();
}

// ---------------------------------------------------------------------------- parts of a command
// line

class CaseMaker {
 public:
  CaseMaker(const FuzzMaterial& material, unsigned seed, int number, const fs::path& folder)
      : material_(material),
        random_(seed * 1000003u + static_cast<unsigned>(number)),
        folder_(folder) {}

  FuzzCase make() {
    static const std::vector<void (CaseMaker::*)()> commands = {
        &CaseMaker::run,         &CaseMaker::run,      &CaseMaker::run,       &CaseMaker::check,
        &CaseMaker::eval,        &CaseMaker::inverse,  &CaseMaker::compare,   &CaseMaker::equations,
        &CaseMaker::generate,    &CaseMaker::orbit,    &CaseMaker::lyapunov,  &CaseMaker::linearize,
        &CaseMaker::equilibrium, &CaseMaker::follow,   &CaseMaker::view,      &CaseMaker::plot,
        &CaseMaker::fit,         &CaseMaker::make_new, &CaseMaker::reproduce, &CaseMaker::study,
        &CaseMaker::ik,          &CaseMaker::optimise, &CaseMaker::steer};
    static const std::vector<void (CaseMaker::*)()> of_design = {
        &CaseMaker::ik, &CaseMaker::optimise, &CaseMaker::steer};
    write(folder_, "data.csv", table_text());
    (this->*random_.pick(std::getenv("CARTAN_FUZZ_DESIGN") ? of_design : commands))();
    if (random_.chance(40)) words_.push_back(random_.pick(odd_words()));
    return {words_};
  }

 private:
  static const std::vector<std::string>& odd_words() {
    static const std::vector<std::string> words = {"--",    "-",     "--jsn", "",      "\xff",
                                                   "--out", "--set", "m",     "--help"};
    return words;
  }

  void say(std::initializer_list<std::string> words) {
    words_.insert(words_.end(), words.begin(), words.end());
  }
  // An option, most often left out.
  void option(const std::string& name, const std::function<std::string()>& value, int in = 4) {
    if (random_.chance(in)) say({name, value()});
  }
  void flag(const std::string& name, int in = 4) {
    if (random_.chance(in)) say({name});
  }

  std::function<std::string()> number(std::vector<std::string> usual) {
    return [this, usual] {
      return random_.chance(12) ? random_.pick(odd_texts()) : random_.pick(usual);
    };
  }
  static const std::vector<std::string>& odd_texts() {
    static const std::vector<std::string> texts = {
        "0",     "-1", "nan", "inf",      "x",      "",
        "1/0",   "2*", "t",   "1e-300",   "-1e300", "0x10",
        "1e400", "pi", "m",   "sqrt(-1)", "1,5",    "table('data.csv','y',2)"};
    return texts;
  }
  std::function<std::string()> word(std::vector<std::string> usual) {
    return [this, usual] {
      std::string text = random_.pick(usual);
      if (random_.chance(10)) random_.damage(text, usual);
      text.erase(std::remove(text.begin(), text.end(), '\0'), text.end());
      return text;
    };
  }
  // Most often a word that leads on, so that a case meets more than the first refusal.
  std::function<std::string()> likely(std::vector<std::string> good, std::vector<std::string> odd) {
    return [this, good, odd] { return word(random_.chance(8) ? odd : good)(); };
  }
  std::function<std::string()> expression() {
    return word({"t", "kinetic", "potential", "pivot.q", "pivot.v", "crank.q", "top.x", "x", "q0",
                 "pivot.q0", "arm.q[1]", "sin(pivot.q) - 0.1", "1/0*t", "abs(x)", "1"});
  }

  std::string table_text() {
    std::string text = random_.chance(2) ? "t,y,z\n0,1,2\n0.01,0,3\n0.5,2,-1\n1,1,2\n"
                                         : random_.pick(material_.tables);
    return disturbed(text, material_.tables);
  }
  std::string disturbed(std::string text, const std::vector<std::string>& others) {
    for (std::size_t n = random_.below(3); n > 0; --n) random_.disturb(text);
    if (random_.chance(5)) random_.damage(text, others);
    return text;
  }
  std::string table_file() { return write(folder_, "table.csv", table_text()); }
  std::string state_file() {
    if (random_.chance(3)) return random_.pick(material_.results);
    if (random_.chance(3)) return write(folder_, "trajectory.csv", table_text());
    return write(folder_, "state.json",
                 disturbed(random_.pick(material_.states), material_.states));
  }
  std::string result_folder() {
    const fs::path source = random_.pick(material_.results), copy = folder_ / "result";
    std::error_code ignored;
    fs::copy(source, copy, fs::copy_options::recursive, ignored);
    for (const std::string& name : list_folder(copy.string())) {
      if (!random_.chance(3) || !fs::is_regular_file(copy / name)) continue;
      if (random_.chance(6)) {
        fs::remove(copy / name, ignored);
        continue;
      }
      write(copy, name, disturbed(read_file((copy / name).string()), material_.tables));
    }
    return copy.string();
  }
  std::string out_folder() { return (folder_ / "out").string(); }

  // The model, perhaps --set.
  void model(const std::string& command) {
    model(command, disturbed(random_.pick(material_.models), material_.models));
  }
  void model(const std::string& command, const std::string& text) {
    say({command, write(folder_, "model.toml", text)});
    option("--set",
           word({"m=2", "g=0", "k=1e6", "mass=-1", "length=0.5*2", "m=", "=1", "nothing=1"}), 8);
    flag("--json", 3);
  }
  void formulation() {
    option("--formulation",
           word({"recursive", "moving-frame", "absolute-se3", "absolute-so3r3", "rotation-elements",
                 "canonical"}),
           3);
  }

  // ---------------------------------------------------------------------------------------
  // commands

  void run() {
    model("run");
    say({"--duration", number({"0.02", "0.05", "0.01", "0.1*pi/10"})()});
    option("--step", number({"0.01", "0.002", "0.005"}), 2);
    option("--integrator",
           word({"gl1", "gl3", "gl8", "rk4", "rk45", "dop853", "rkmk4", "rkmk45",
                 "generalized-alpha", "variational", "cvode", "ida", "held-multipliers", "moreau"}),
           2);
    formulation();
    option("--tolerance", number({"1e-6", "1e-10"}));
    option("--every", number({"1", "3", "1000"}));
    option("--spectral-radius", number({"0.8", "1"}), 12);
    option("--stabilisation", word({"projection", "none", "baumgarte"}), 8);
    option("--record", word({"bodies", "reactions", "forces", "power", "constraints,multipliers"}));
    option(
        "--from", [this] { return state_file(); }, 5);
    option(
        "--out", [this] { return out_folder(); }, 2);
    flag("--power", 6);
    flag("--report", 30);
  }
  void check() { model("check"); }
  void eval() {
    model("eval");
    formulation();
    option(
        "--at", [this] { return state_file(); }, 2);
  }
  void inverse() {
    model("inverse");
    say({"--motion",
         random_.chance(2)
             ? table_file()
             : (fs::path(random_.pick(material_.results)) / "trajectory.csv").string()});
    formulation();
    option("--out", [this] { return (folder_ / "forces.csv").string(); });
  }
  void compare() {
    model("compare");
    say({"--duration", number({"0.01", "0.02"})(), "--integrators",
         word({"gl1", "rk4,gl2", "rk45"})()});
    option("--steps", number({"0.01", "0.005,0.01", "0.002"}), 2);
    option("--formulations", word({"recursive", "recursive,moving-frame", "absolute-se3"}), 2);
    flag("--fixed");
  }
  void equations() {
    model("equations");
    option("--format", word({"text", "latex"}));
    option("--form", word({"kane", "lagrange", "canonical", "moving-frame"}), 2);
    option("--show", word({"M", "M,F", "energies"}));
    flag("--fold");
  }
  void generate() {
    model("generate");
    say({"--out", out_folder()});
    option("--language", word({"c", "c++", "python", "octave", "cuda", "latex"}), 2);
    option("--form", word({"kane", "explicit", "implicit"}));
    option("--name", word({"unit", "a b", "int"}));
    flag("--jacobian");
    flag("--fold");
  }
  void orbit() {
    model("orbit");
    say({"--period", number({"1", "2*pi", "0.1"})(), "--tolerance", number({"1e-6", "1e-5"})()});
    option("--section", expression());
    option("--shooting", number({"2", "5", "1000000"}));
    option("--hold", expression(), 6);
    option(
        "--from", [this] { return state_file(); }, 5);
    flag("--driven");
    if (random_.chance(5))
      say({"--inputs", word({"m", "g", "k", "m,k"})(), "--outputs", expression()(), "--frequency",
           word({"lin(0,2,3)", "log(0.1,10,2)", "lin(1,2", "lin(0,1e9,2)"})()});
    option("--harmonics", number({"0", "1", "51"}), 8);
    option(
        "--out", [this] { return out_folder(); }, 8);
  }
  void lyapunov() {
    model("lyapunov");
    say({"--duration", number({"0.05", "0.1"})(), "--transient", number({"0", "0.01"})(),
         "--quiet"});
    option("--step", number({"0.01", "0.02"}));
    option("--tolerance", number({"1e-6", "1e-4"}), 2);
    option("--section", expression());
    option("--out", [this] { return out_folder(); });
  }
  void linearize() {
    model("linearize");
    option(
        "--at", [this] { return random_.chance(2) ? "equilibrium" : state_file(); }, 2);
    option("--hold", expression(), 6);
    option("--sweep", word({"m=lin(1,2,3)", "g=log(1,10,2)", "pivot.q=lin(0,1,3)", "k=lin(0,m,2)",
                            "m=lin(1,2,1e9)", "m=lin(1,2"}));
    option("--out", [this] { return out_folder(); });
  }
  void equilibrium() {
    model("equilibrium");
    option(
        "--from", [this] { return state_file(); }, 5);
    option("--hold", expression(), 6);
    option("--search",
           word({"pivot.q=lin(0,1,3)", "crank.q=lin(-1,1,3),pivot.v=lin(0,1,2)", "x=lin(0,1,3)"}));
    option("--out", [this] { return out_folder(); });
    flag("--minimise");
  }
  void follow() {
    model("continue");
    say({"--parameter", word({"m", "g", "k", "pivot.q", "w", "mu"})(), "--from",
         number({"0.5", "1"})(), "--to", number({"1.5", "2"})(), "--points", number({"5", "3"})()});
    option("--step", number({"0.1", "0.5"}));
    option("--show", expression());
    option("--hold", expression(), 6);
    option("--of", word({"orbit", "equilibrium"}), 6);
    option("--period", number({"1", "6.3"}), 6);
    option("--orbit-points", number({"0", "2"}), 6);
    option("--out", [this] { return out_folder(); });
    flag("--switch", 8);
  }
  void view() {
    if (random_.chance(2))
      model("view");
    else
      say({"view", result_folder()});
    say({"--export", (folder_ / "page.html").string()});
    option("--frames", number({"2", "100"}));
    option("--compare", [this] { return random_.pick(material_.results); });
    option("--modes", [this] { return random_.chance(2) ? result_folder() : state_file(); });
  }
  void plot() {
    say({"plot", random_.chance(2) ? table_file() : result_folder(), "--out", out_folder()});
    option("--quantity", word({"energy", "*.q*", "pivot.q", "pivot.q[0]", "y,z", "nothing", "t"}),
           2);
    if (random_.chance(4))
      say({"--x", word({"t", "y", "pivot.q0"})(), "--y", word({"z", "pivot.v", "*"})()});
    option("--from", number({"0", "0.01"}));
    option("--to", number({"0.02", "1"}));
    option("--log", word({"x", "y", "xy", "none"}));
    option("--width", number({"400", "4000"}), 8);
    flag("--spectrum", 6);
    flag("--json");
  }
  void study() {
    const auto law = word({"uniform(0,1)", "normal(1,0.1)", "lin(0,1,3)", "log(0.1,1,2)",
                           "values(1,2)", "grid(1,2)", "table(data.csv,y)", "triangular(0,1,2)"});
    const auto how = word({"final(t)", "max(pivot.q)", "min(x)", "mean(kinetic)", "rms(pivot.v)",
                           "integral(1)", "at(0.01, x)", "event(hit, t)", "count(hit)"});
    if (random_.chance(4)) {
      const std::string text = disturbed(
          "model = \"m.toml\"\nruns = 5\n[vary]\nm = { uniform = [1, 2] }\n[keep]\n"
          "a = { final = \"t\" }\n",
          material_.models);
      say({"study", write(folder_, "study.toml", text)});
    } else {
      model("study");
    }
    say({"--vary", word({"m=", "pivot.q=", "x=", "crank.v[0]=", "L="})() + law(), "--keep",
         "a=" + how(), "--runs", number({"1", "5", "12"})(), "--duration",
         number({"0", "0.02"})()});
    option(
        "--vary", [&] { return "g=" + law(); }, 3);
    option("--sampling", word({"sobol", "random", "latin-hypercube"}));
    option("--indices", word({"on", "off"}));
    option("--seed", number({"0", "7"}));
    option("--trajectories", number({"1", "3"}));
    option("--threads", number({"1", "2"}));
    option("--part", word({"1/2", "2/2", "1/1"}), 8);
    option("--backend", word({"reference", "cpu", "gpu"}), 8);
    option(
        "--out", [this] { return out_folder(); }, 2);
    flag("--resume", 8);
    flag("--force", 8);
  }
  void ik() {
    random_.chance(5) ? model("ik") : model("ik", pendulum());
    const auto target =
        likely({"pivot.q = 0.5", "sin(pivot.q) = 0.3", "pivot.q = -g/20"},
               {"crank.q = pi/3", "top = [0, 0, 1]", "x = 1", "pivot.v = 2", "top.R = [0, 0, 0.1]",
                "[x, y] = [1, 2]", "pivot.q = table('data.csv','y',0.1)", "arm.q = [0, 1]", "t = 1",
                "1 = 2", "= 1", "kinetic = 3"});
    if (random_.chance(4))
      say({"--path", table_file()});
    else
      say({"--target", target()});
    option("--target", target, 4);
    option("--range", likely({"pivot.q = [-1, 1]"}, {"x = [0, 1]", "x = [1, 0]", "y = [0]"}), 4);
    option(
        "--from", [this] { return state_file(); }, 6);
    option("--out", [this] { return out_folder(); });
    if (random_.chance(3)) formulation();
    if (random_.chance(4)) say({"--all", "--starts", number({"3", "20"})()});
    option("--distinct", likely({"pivot", "top"}, {"rod", "x", "rod,pivot.q", "a,"}), 8);
    flag("--force", 8);
  }
  void optimise() {
    random_.chance(5) ? model("optimise") : model("optimise", pendulum());
    const auto functional =
        likely({"final(pivot.q)", "integral(pivot.v^2)", "maximum(kinetic)", "m^2",
                "at(0.01, pivot.q)", "minimum(pivot.v)"},
               {"integral(x^2)", "at(0.01, x)", "event(hit, t)", "largest_real_part", "period",
                "frequency(g = 2*g)", "largest_real_part(m = k)", "final(", "1/0",
                "event(hit, t, 2)", "k"});
    say({"--free", likely({"m", "k", "g,m=2", "pivot.q=0.1"}, {"x", "low=1", "m=", "m,m"})(),
         random_.chance(4) ? "--maximise" : "--minimise", functional(), "--duration",
         number({"0.02", "0.05"})(), "--iterations", number({"4", "30"})(), "--tolerance",
         number({"1e-6", "1e-9"})()});
    option(
        "--subject",
        [&] {
          return functional() + likely({" <= ", " >= "}, {" = ", " "})() + "1";
        },
        3);
    option("--bounds", likely({"m=[0.5, 3]"}, {"k=[1, 2]", "m=[2, 1]", "m=1"}), 3);
    option("--at", word({"equilibrium"}), 4);
    option("--starts", number({"2", "3"}), 5);
    option("--jobs", number({"1", "2"}), 5);
    option("--solver", word({"own", "ipopt"}), 5);
    option("--out", [this] { return out_folder(); });
    if (random_.chance(3)) formulation();
  }
  void steer() {
    const bool phases = random_.chance(2);
    write(folder_, "model.toml",
          random_.chance(6) ? disturbed(random_.pick(material_.models), material_.models)
                            : steered_model() + (phases ? floor() : ""));
    const std::string task = phases ? phased_task() : plain_task();
    say({"steer", write(folder_, "task.toml", random_.chance(6) ? disturbed(task, {task}) : task)});
    option("--starts", number({"1", "2"}), 2);
    option("--tolerance", number({"1e-3", "1e-5"}), 2);
    option("--method", word({"gauss", "radau"}));
    option("--points", number({"2", "3"}));
    option("--intervals", number({"2", "5"}), 2);
    flag("--no-refine", 2);
    flag("--verify", 6);
    flag("--json", 3);
    option("--out", [this] { return out_folder(); });
  }
  std::string plain_task() {
    return "model = \"model.toml\"\nduration = " +
           likely({"0.5", "{ guess = 1, bounds = [0.2, 2] }"}, {"-1", "0"})() +
           "\n[inputs]\nforce = { bounds = [-2, 2] }\n[end]\n\"cart.q\" = " +
           likely({"0.1", "\"free\"", "\"pi/40\""}, {"1", "nan"})() +
           "\n\"cart.v\" = 0\n[minimise]\n" +
           likely({"integral = \"force^2\"", "final = \"t\""}, {"integral = \"1/0\"", ""})() +
           "\n[path]\n\"cart.q\" = " + likely({"[-2, 2]"}, {"[1, -1]", "[-5, 0.05]"})() + "\n";
  }
  std::string phased_task() {
    const auto phase = [&] {
      return "[[phase]]\nduration = " +
             likely({"0.3", "{ guess = 0.4, bounds = [0.2, 0.6] }"}, {"0", "\"x\""})() +
             "\nclosed = " +
             likely({"[]"}, {"[\"floor\"]", "[\"wall\"]", "[\"floor\", \"floor\"]"})() + "\n" +
             word({"", "", "inputs = { force = [0, 0] }\n", "guess = { \"cart.q\" = \"s\" }\n",
                   "end = { \"cart.q\" = 0.1 }\n", "path = { \"cart.q\" = [0, 1] }\n"})();
    };
    return "model = \"model.toml\"\n" + likely({""}, {"periodic = true\n", "duration = 1\n"})() +
           likely({""}, {"swap = \"cart=cat\"\n"})() + phase() + phase() + word({"", phase()})() +
           word({"", "[start]\n\"cart.q\" = 0.2\n", "[start]\n\"cart.q\" = 0\n"})() +
           word({"", "[end]\n\"cart.q\" = 0.2\n", "[advance]\n\"cart.q\" = 0.1\n",
                 "[advance]\n\"cart.q\" = { speed = 1 }\n",
                 "[advance]\n\"cart.v\" = \"free\"\n"})() +
           "[minimise]\n" + word({"integral = \"force^2\"", "final = \"t\""})() + "\n";
  }
  // With most of the names that words ask for.
  static std::string pendulum() {
    return "[parameters]\nm = 1\nk = 2\ng = 9.81\n[[body]]\nname = \"top\"\nmass = \"m\"\n"
           "com = [0, 0, -1]\ninertia = [0.1, 0.1, 0.1]\n[[joint]]\nname = \"pivot\"\n"
           "type = \"revolute\"\naxis = [0, 1, 0]\nposition = 0.2\nparent = { body = \"world\" }\n"
           "child = { body = \"top\" }\n[[force]]\ntype = \"joint\"\njoint = \"pivot\"\n"
           "value = \"-k*pivot.q\"\n[[event]]\nname = \"hit\"\nwhen = \"pivot.q - 0.19\"\n";
  }
  static std::string steered_model() {
    return "[inputs]\nforce = 0\n[[body]]\nname = \"cart\"\nmass = 1\n[[joint]]\n"
           "name = \"cart\"\ntype = \"prismatic\"\naxis = [1, 0, 0]\nparent = { body = \"world\" "
           "}\n"
           "child = { body = \"cart\" }\n[[force]]\ntype = \"joint\"\njoint = \"cart\"\n"
           "value = \"force - 0.1*cart.v\"\n";
  }
  static std::string floor() {
    return "[[contact]]\nname = \"floor\"\na = { body = \"cart\", point = [0, 0, 0] }\n"
           "b = { body = \"world\", plane = [1, 0, 0.1] }\n";
  }
  void fit() {
    model("fit");
    say({"--free", word({"m", "k", "g,m", "m=2", "nothing"})(), "--iterations",
         number({"2", "3"})(), "--tolerance", number({"1e-6"})()});
    if (random_.chance(4))
      say({"--experiments", write(folder_, "experiments.toml",
                                  disturbed("[[experiment]]\nname = \"a\"\ndata = \"table.csv\"\n"
                                            "columns = { y = \"pivot.q\" }\n",
                                            material_.models))});
    else
      say({"--data",
           random_.chance(2)
               ? table_file()
               : (fs::path(random_.pick(material_.results)) / "trajectory.csv").string()});
    option("--out", [this] { return out_folder(); });
  }
  void make_new() {
    say({"new",
         word({"double-pendulum", "chain", "scissor", "ladder", "four-bar", "top", "nothing"})()});
    option("--links", number({"1", "3", "20"}), 2);
    option("--joint", word({"spherical", "revolute"}));
    option("--out", [this] { return (folder_ / "new.toml").string(); });
    flag("--force");
  }
  void reproduce() {
    say({"reproduce", "--list"});
    option("--only", word({"002", "004.7.6", "nothing"}), 2);
    option("--out", [this] { return out_folder(); });
    flag("--json");
  }

  const FuzzMaterial& material_;
  TextMutator random_;
  fs::path folder_;
  std::vector<std::string> words_;
};

// --------------------------------------------------------------------------------------------
// verdicts

// Asks a command to stop when it takes long, and ends it when it does not listen.
class Watchdog {
 public:
  explicit Watchdog(const RunningCommand& command)
      : thread_([this, &command] {
          std::unique_lock lock(mutex_);
          const auto done = [this] { return over_; };
          if (over_at_.wait_for(lock, std::chrono::duration<double>(patience), done)) return;
          asked_ = true;
          command.send(SIGINT);
          if (over_at_.wait_for(lock, std::chrono::duration<double>(patience), done)) return;
          killed_ = true;
          command.send(SIGKILL);
        }) {}
  ~Watchdog() { stop(); }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    over_at_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  bool asked() const { return asked_; }
  bool killed() const { return killed_; }

 private:
  std::mutex mutex_;
  std::condition_variable over_at_;
  bool over_ = false, asked_ = false, killed_ = false;
  std::thread thread_;
};

// A number that is none, as a word by itself. Gaps of tables are empty cells, not "nan".
bool has_undefined_number(const std::string& text) {
  static const std::regex number("(^|[\\s,:=\\[(])[-+]?(nan|inf|infinity)([\\s,;)\\]]|$)",
                                 std::regex::icase | std::regex::optimize);
  // std::regex takes a stack frame per letter: line by line.
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min({text.find('\n', begin), begin + 2000, text.size()});
    if (std::regex_search(text.begin() + begin, text.begin() + end, number)) return true;
    begin = end + 1;
  }
  return false;
}

bool is_text_result(const fs::path& path) {
  return path.extension() == ".csv" || path.extension() == ".json";
}

}  // namespace

FuzzMaterial::FuzzMaterial() {
  std::string pattern = (fs::temp_directory_path() / "cartan-fuzz-XXXXXX").string();
  folder_ = mkdtemp(pattern.data());
  for (const char* folder : {"/examples", "/tests/good"})
    for (const auto& entry : fs::directory_iterator(std::string(CARTAN_ROOT) + folder))
      if (entry.path().extension() == ".toml" && fs::file_size(entry.path()) < 5000)
        models.push_back(read_file(entry.path().string()));
  std::sort(models.begin(), models.end());
  const auto make = [&](const std::string& name, std::vector<std::string> words) {
    const std::string out = (folder_ / name).string();
    words.insert(words.end(), {"--out", out});
    if (run_cartan(words).status == 0) results.push_back(out);
  };
  const auto example = [](const char* name) {
    return std::string(CARTAN_ROOT "/examples/") + name + ".toml";
  };
  for (const char* name : {"pendulum", "four_bar", "heavy_top", "lorenz", "stick_slip"})
    make(name, {"run", example(name), "--duration", "0.05"});
  make("modes", {"linearize", example("governor"), "--at", "equilibrium"});
  make("sweep",
       {"linearize", example("van_der_pol"), "--at", "equilibrium", "--sweep", "mu=lin(0.5,1,3)"});
  for (const std::string& folder : results)
    for (const std::string& name : list_folder(folder))
      if (name.ends_with(".csv")) tables.push_back(read_file(folder + "/" + name));
  states = {R"({"t": 0, "q": {"pivot": [0.3]}, "v": {"pivot": [0.1]}})",
            R"({"t": 1e16, "q": {"crank": 1}, "v": {}})",
            R"({"t": 0.1, "variables": {"x": 1, "y": 2, "z": 3}})",
            R"({"t": 0, "q": {"tip": [1, 0, 0, 0]}, "v": {"tip": [0, 0, 150]}})"};
}

FuzzMaterial::~FuzzMaterial() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

FuzzCase make_fuzz_case(const FuzzMaterial& material, unsigned seed, int number,
                        const fs::path& folder) {
  return CaseMaker(material, seed, number, folder).make();
}

std::string run_fuzz_case(const FuzzCase& one, const fs::path& folder, bool& done) {
  RunningCommand command(one.words);
  Watchdog watchdog(command);
  const CommandResult result = command.wait();
  watchdog.stop();
  done = result.status == 0;
  if (watchdog.killed()) return "hangs: does not listen to Ctrl-C";
  if (result.err.find("Sanitizer") != std::string::npos ||
      result.err.find("runtime error:") != std::string::npos)
    return "the sanitizer complains:\n" + result.err.substr(0, 3000);
  if (result.err.find("internal error") != std::string::npos) return result.err.substr(0, 1000);
  if (watchdog.asked()) return "";  // long, and stopped on request
  if (result.status < 0) return "ended by signal " + std::to_string(-result.status);
  if (result.status > 2) return "exit status " + std::to_string(result.status);
  if (result.status != 0)
    return result.err.empty() ? "exit status " + std::to_string(result.status) + " without a word"
                              : "";
  if (has_undefined_number(result.out))
    return "a number that is none:\n" + result.out.substr(0, 2000);
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "out", ignored))
    if (is_text_result(entry.path()) && has_undefined_number(read_file(entry.path().string())))
      return "a number that is none in " + entry.path().filename().string();
  return "";
}

}  // namespace cartan::test
