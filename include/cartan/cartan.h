// Cartan for programs: all public headers. Numbers are double; vectors are std::vector.
//
//   const cartan::Model model = cartan::load("model.toml");
//   const cartan::Run run = cartan::run(model, {.duration = 2});
//   std::printf("%s: energy drift %g J\n", run.model.c_str(), run.energy.max_drift);
//
// docs/api.md tells the rest.
#pragma once

#include <cartan/check.h>
#include <cartan/compare.h>
#include <cartan/continue.h>
#include <cartan/equations.h>
#include <cartan/equilibrium.h>
#include <cartan/error.h>
#include <cartan/eval.h>
#include <cartan/fit.h>
#include <cartan/generate.h>
#include <cartan/ik.h>
#include <cartan/inverse.h>
#include <cartan/linearize.h>
#include <cartan/lyapunov.h>
#include <cartan/model.h>
#include <cartan/optimise.h>
#include <cartan/options.h>
#include <cartan/orbit.h>
#include <cartan/plot.h>
#include <cartan/run.h>
#include <cartan/state.h>
#include <cartan/steer.h>
#include <cartan/study.h>
#include <cartan/system.h>
#include <cartan/table.h>
#include <cartan/view.h>
#include <cartan/watch.h>
