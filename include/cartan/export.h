// What every public header shares: which names the library exports.
//
// Nothing to call stands here:
//
//   #include <cartan/cartan.h>
#pragma once

// A function or class that the library gives to programs.
#define CARTAN_API __attribute__((visibility("default")))

// The public names stand in cartan::api, apart from those the library has inside. A program sees
// them as cartan::Model, cartan::run, ..
namespace cartan::api {}
#ifndef CARTAN_INSIDE
namespace cartan {
using namespace api;
}
#endif
