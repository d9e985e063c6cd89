// The command of a package: all of it is in the shared library, of which the system takes the one
// built for its processor (cmake/install.cmake).

namespace cartan::api {
__attribute__((visibility("default"))) int run_command_line(int count, char** words);
}

int main(int count, char** words) {
  return cartan::api::run_command_line(count, words);
}
