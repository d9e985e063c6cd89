#include <cstdio>

#include <cartan/cartan.h>

int main(int count, char** words) {
  const cartan::Model model = cartan::load(count > 1 ? words[1] : "model.toml");
  const cartan::Run run = cartan::run(model, {.duration = 2});
  std::printf("%s: %zu samples\n", model.name().c_str(), run.t().size());
  std::printf("energy drift %g J\n", run.energy.max_drift);
}
