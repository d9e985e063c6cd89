// What can be asked of every function, by the names the options of the command line have. What is
// left out has the default that `cartan COMMAND --help` tells.
//
//   cartan::RunOptions options;
//   options.integrator = "rk4";
//   options.step = 0.001;
//   cartan::run(cartan::load("model.toml"), options);
//   cartan::run(cartan::load("model.toml"), {.step = 0.001, .integrator = "rk4"});  // the same
//
// Where an option takes a state (`from`, `at`, `start`), it is the path of a STATE.json, of a
// trajectory.csv or of the folder of an earlier run, or the text of a state: State::json().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cartan/watch.h>

namespace cartan::api {

// load
struct LoadOptions {
  std::vector<std::string> set;         // "NAME=VALUE": overrides entries of [parameters]
  bool trust = false;                   // run the model's own code, read files wherever it says
  std::vector<std::string> allow_path;  // folders the model may read tables from, besides its own
  std::vector<std::string> input;       // "NAME=EXPR" of t: values of [inputs]
  std::string input_file;               // or a table with the columns t and names
  std::string input_kind;               // between its rows: steps, linear (default), smooth
  std::string base;                     // URDF, SDF: "fixed" or "free", a root that nothing holds
  std::vector<std::string> package;     // "NAME=DIR": where package://NAME lies
  std::string limits;                   // URDF, MJCF, SDF: "stops" (default) or "none"
  Watch watch = {};
};

// cartan run
struct RunOptions {
  std::optional<double> duration = {};         // default: the file's, else 10
  std::optional<double> step = {};             // default: the file's, else 0.01
  std::string formulation = {};                // default: the file's, else recursive
  std::string integrator = {};                 // default: the file's, else gl3
  std::optional<double> tolerance = {};        // default: the file's, else the method's
  std::optional<double> spectral_radius = {};  // of generalized-alpha
  std::optional<int> every = {};  // record every k-th step; default: the file's, else 1
  std::string from = {};          // a state to start from; default: the model's own
  std::vector<std::string> record =
      {};              // reactions, multipliers, constraints, power, forces, contacts, elements
  bool power = false;  // the power balance at every sample
  std::string stabilisation = "projection";  // or none, baumgarte
  std::string rows = {};                     // absolute-*: joint (default) or world, axes of gaps
  std::string elimination = {};              // rotation-elements: two-step (default), one-step
  std::string norm = {};                     // of explicit error control: max (default) or rms
  std::string iteration = {};                // of gl1, gl2, ..: newton (default) or functional
  bool estimate = true;                      // of the error of the end, by a second run
  std::string out = {};                      // a folder to write to as well
  bool force = false;                        // replace files that are no earlier result
  bool keep_partial = false;                 // with `out`: keep what a failed run has come to
  bool report = false;                       // with `out`: report.html
  Watch watch = {};
};

// cartan check
struct CheckOptions {
  Watch watch = {};
};

// cartan eval
struct EvalOptions {
  std::string at = {};           // a state; default: the initial one
  std::string formulation = {};  // default: the file's, else recursive
  Watch watch = {};
};

// cartan compare
struct CompareOptions {
  std::vector<std::string> formulations = {};  // default: all that take the model
  std::vector<std::string> integrators = {};   // default: gl1, gl2, gl3, rk4
  std::vector<std::string> steps = {};         // numbers or expressions; default: the file's step,
                                               // a half and a quarter of it
  std::optional<double> duration = {};         // default: the file's, else 10
  std::optional<double> tolerance = {};        // default: the method's
  bool fixed = false;                          // adaptive methods without error control
  std::string stabilisation = "projection";    // or none, baumgarte
  std::string rows = {};                       // absolute-*: joint (default) or world
  std::string csv = {};                        // a file for the table
  bool force = false;                          // replace it
  Watch watch = {};
};

// cartan linearize
struct LinearizeOptions {
  std::string at = {};                    // a state, or "equilibrium"; default: the initial state
  std::vector<std::string> hold = {};     // expressions that keep their initial values
  std::string sweep = {};                 // "P=lin(A,B,N)": repeat for values of a parameter
  std::string inputs = {};                // "P1,P2": what acts from outside; adds A and B
  std::string outputs = {};               // "EXPR,EXPR": what is seen; adds C and D
  std::string frequency = {};             // "log(A,B,N)": the response there, rad/s
  std::string lqr_q = {}, lqr_r = {};     // weights of states and inputs: a regulator
  std::optional<double> time = {};        // at which time stands still
  std::string formulation = "recursive";  // or moving-frame, generated
  std::string out = {};                   // a folder to write to as well
  bool force = false;                     // replace files that are no earlier result
  Watch watch = {};
};

// cartan equilibrium
struct EquilibriumOptions {
  std::string from = {};                  // a state to start from; default: the initial one
  std::vector<std::string> hold = {};     // expressions that keep their initial values
  std::string search = {};                // "A=lin(..),B=lin(..)": from every point of a box
  bool minimise = false;                  // first go down to a minimum of the potential energy
  std::optional<double> time = {};        // at which time stands still
  std::string formulation = "recursive";  // or moving-frame, generated
  std::string out = {};                   // a folder to write to as well
  bool force = false;                     // replace files that are no earlier result
  Watch watch = {};
};

// cartan orbit
struct OrbitOptions {
  std::string period = {};               // a guess: a number or an expression of the parameters
  std::string section = {};              // where the orbit begins: this expression is zero
  bool driven = false;                   // the equations depend on time; `period` is exact
  int shooting = 1;                      // nodes
  std::vector<std::string> hold = {};    // expressions kept where orbits form families
  std::optional<double> tolerance = {};  // of the integration; default 1e-13
  std::string formulation = {};          // default: the file's, else recursive
  std::string from = {};                 // a state near the orbit; default: the initial one
  std::string swap = {};       // "left=right": the orbit closes after parts have exchanged names
  std::string inputs = {};     // "P1,P2": what shakes the orbit
  std::string outputs = {};    // "EXPR,EXPR": what is seen
  std::string frequency = {};  // "log(A,B,N)": the response there, rad/s
  std::optional<int> harmonics = {};  // of the response, at frequencies w + k Omega; default 2
  std::string out = {};               // a folder to write to as well
  bool force = false;                 // replace files that are no earlier result
  Watch watch = {};
};

// cartan continue
struct ContinueOptions {
  std::string parameter = {};                // an entry of [parameters] or an expression
  std::optional<double> from = {}, to = {};  // its values; both are needed
  std::string of = "equilibrium";            // or orbit
  std::string start = {};                    // a state near the branch; default: the initial one
  std::vector<std::string> hold = {};        // expressions that keep their initial values
  int points = 500;                          // most points of a branch
  double step = 0.02;                        // longest step along a branch
  bool switch_branches = false;           // --switch: also follow branches that cross or are born
  std::optional<int> orbit_points = {};   // most points of branches born at Hopf points
  std::string period = {};                // of orbits: a guess, or with `driven` the period itself
  std::string section = {};               // of orbits: they begin where this is zero
  bool driven = false;                    // of orbits: the equations repeat after the period
  std::optional<int> shooting = {};       // of orbits: nodes; default 1
  std::string swap = {};                  // of orbits: they close after parts exchange names
  std::string show = {};                  // what is shown over the parameter
  std::string formulation = "recursive";  // or moving-frame, generated
  std::string out = {};                   // a folder to write to as well
  bool force = false;                     // replace files that are no earlier result
  Watch watch = {};
};

// cartan lyapunov
struct LyapunovOptions {
  double duration = 1000;                // over which the average is taken
  std::optional<double> transient = {};  // before it; default: a tenth of the duration
  std::optional<double> step = {};       // between orthonormalisations; default: when needed
  std::optional<double> tolerance = {};  // of the integration; default 1e-9
  std::string section = {};              // with `out`: note where this rises through zero
  std::string formulation = {};          // default: the file's, else recursive
  std::string from = {};                 // a state to start from; default: the initial one
  std::string out = {};                  // a folder for section.csv
  bool force = false;                    // replace files that are no earlier result
  Watch watch = {};
};

// cartan fit
struct FitOptions {
  std::string free = {};                 // "P1,P2=START"; several sets separated by ';'
  std::string data = {};                 // a CSV file whose columns are named as quantities
  std::string experiments = {};          // or a file with several experiments
  std::string formulation = {};          // default: the file's, else recursive
  std::optional<double> tolerance = {};  // of the simulations; default 1e-11
  int iterations = 100;                  // at most
  std::string out = {};                  // a folder to write to as well
  bool force = false;                    // replace files that are no earlier result
  Watch watch = {};
};

// cartan inverse
struct InverseOptions {
  std::string motion = {};       // a CSV file with the columns of trajectory.csv
  std::string formulation = {};  // default: the file's, else recursive
  std::string out = {};          // a file for the table
  bool force = false;            // replace it
  Watch watch = {};
};

// cartan equations
struct EquationsOptions {
  std::string format = "text";         // or latex
  std::string form = "kane";           // or lagrange, canonical, moving-frame
  std::vector<std::string> show = {};  // also T, V, L, p, B, Bdot, power, or all
  bool solved = false;                 // accelerations by themselves: q1'' = ..
  bool linearize = false;              // M, C, K and A about a state of rest
  bool fold = false;                   // parameters as numbers
  std::string out = {};                // a file for the text
  bool force = false;                  // replace it
  Watch watch = {};
};

// cartan generate
struct GenerateOptions {
  std::string language = "c";       // or c++, python, octave, cuda, latex, fmi3, fmi2
  std::string form = "recursive";   // or mass-matrix
  bool jacobian = false;            // also d x' / d x, sparse
  bool variational = false;         // also the variational system and its Jacobian
  bool variational_matrix = false;  // the whole of it, n (n + 1) states, and its Jacobian
  bool places = false;              // also places and velocities of mass centres and joints
  bool fold = false;                // parameters as numbers
  bool plain = false;               // nothing shared: every result is one expression
  std::string inputs = {};          // FMUs: "A,B", parameters or inputs; default: all [inputs]
  std::string outputs = {};  // FMUs: "EXPR,EXPR"; default: the model's outputs, or its states
  std::string name = {};     // prefix of functions and files; default: the model file's
  std::string out = {};      // a folder for the files; default: they are only returned
  bool force = false;        // replace files that are no earlier result
  Watch watch = {};
};

// cartan plot
struct PlotOptions {
  std::vector<std::string> quantity = {};    // columns over time, `*` for any letters
  std::string x = {};                        // column across, with `y`
  std::vector<std::string> y = {};           // columns upwards, with `x`
  bool spectrum = false;                     // amplitudes over frequency of `quantity`
  std::optional<double> from = {}, to = {};  // part of the time
  std::string log = {};                      // logarithmic axes: x, y, xy or none
  std::string title = {}, x_label = {}, y_label = {};
  std::vector<std::string> format = {"svg"};      // svg, png; png needs chromium
  std::optional<double> width = {}, height = {};  // of a picture, in pixels
  std::string out = {};                           // default: `plots` in the folder of the run
  bool force = false;                             // replace files that are no earlier pictures
  Watch watch = {};
};

// cartan view --export
struct ViewOptions {
  std::string compare = {};        // the folder of a second run, drawn as a ghost
  std::string modes = {};          // mode shapes: JSON, or the folder, of `cartan linearize`
  std::optional<int> frames = {};  // most positions of the bodies; default 20001
  Watch watch = {};
};

// cartan ik
struct IkOptions {
  std::vector<std::string> target = {};  // "EXPR = EXPR", "BODY = [x, y, z]", "BODY.R = [..]"
  std::vector<std::string> range = {};   // "EXPR = [LOW, HIGH]": values to stay within
  std::string path = {};                 // a table to follow: column t and expressions
  bool all = false;                      // all solutions, angles modulo 2 pi
  std::optional<int> starts = {};        // with `all`: at most so many; default 4096
  std::string distinct = {};             // with `all`: "BODY,EXPR", solutions that differ there
  std::string formulation = {};          // default: the file's, else recursive
  std::string from = {};                 // a state to start from; default: the initial one
  std::string out = {};                  // a folder to write to as well
  bool force = false;                    // replace files that are no earlier result
  Watch watch = {};
};

// cartan optimise
struct OptimiseOptions {
  std::string free = {};                  // "A,B=START": parameters or initial values
  std::string minimise = {};              // what shall be least: "integral(main.q^2)"
  std::string maximise = {};              // or what shall be largest
  std::vector<std::string> subject = {};  // "EXPR <= EXPR", >= or =: conditions
  std::vector<std::string> bounds = {};   // "A=[LOW, HIGH]"
  std::optional<double> duration = {};    // of the run; default: the file's, else 10
  std::string at = {};                    // "equilibrium": linearisations belong to it
  std::optional<int> starts = {};         // begin also at points spread over the bounds
  std::optional<int> jobs = {};           // processes for several starts; default: the cores
  std::string solver = {};                // own (default), ipopt
  std::string formulation = {};           // default: the file's, else recursive
  std::optional<double> tolerance = {};   // of the simulations; default 1e-12
  std::optional<int> iterations = {};     // at most; default 200
  std::string out = {};                   // a folder to write to as well
  bool force = false;                     // replace files that are no earlier result
  Watch watch = {};
};

// cartan steer
struct SteerOptions {
  std::optional<double> tolerance = {};  // of the mesh; default: the task's, else 1e-6
  std::optional<int> starts = {};        // guesses; default: the task's, else 4
  std::string method = {};               // gauss, radau; default: the task's, else gauss
  std::optional<int> points = {};        // in each interval; default: the task's, else 5
  std::optional<int> intervals = {};     // of the first mesh; default: the task's, else chosen
  bool refine = true;                    // false: stay on the first mesh and tell its error
  bool verify = false;   // with `out`: run the model with the inputs found, tell the difference
  std::string out = {};  // a folder to write the motion to, as a run
  bool force = false;    // replace files that are no earlier result
  bool report = false;   // with `out`: also report.html
  Watch watch = {};
};

// cartan study
struct StudyOptions {
  std::vector<std::string> vary = {};       // "NAME=LAW": "L=uniform(0.9,1.1)", "c=log(0.1,1,20)"
  std::vector<std::string> keep = {};       // "NAME=HOW": "angle=final(shoulder.q)"
  std::optional<double> runs = {};          // samples; a grid multiplies them
  std::string sampling = {};                // sobol (default), latin-hypercube, random
  std::optional<double> seed = {};          // of the samples; default 1
  std::string indices = {};                 // on, off; default: where they can be had
  std::optional<double> trajectories = {};  // with `out`: keep the motion of so many runs
  std::string formulation = {};             // default: the file's, else recursive
  std::string integrator = {};              // default: the file's, else gl3
  std::optional<double> step = {};          // default: the file's, else 0.01
  std::optional<double> duration = {};      // default: the file's, else 10
  std::optional<double> tolerance = {};     // default: the file's, else the method's
  std::string backend = {};                 // reference (default)
  std::optional<int> threads = {};          // default: one per core
  std::string part = {};                    // "K/N": only this part, into `out`
  bool resume = false;                      // go on with the study in `out`
  std::string out = {};                     // a folder to write to as well
  bool force = false;                       // replace files that are no earlier result
  Watch watch = {};
};

}  // namespace cartan::api
