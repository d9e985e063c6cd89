// The command of a package: all of it is in the shared library, of which the system takes the one
// built for its processor (cmake/install.cmake).

extern "C" __attribute__((visibility("default"))) int cartan_command_line(int count, char** words);

int main(int count, char** words) {
  return cartan_command_line(count, words);
}
