// Code in several languages from one description (code_unit.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/code_unit.h"

namespace cartan::codegen {

enum class Language { c, cpp, python, octave, cuda, latex };

struct GeneratedFile {
  std::string name;  // in the folder the user chose
  std::string text;
};

// The files of a unit. New nodes may be added to its graph: a linear system with few non-zeros is
// solved symbolically. problem_of(unit) must be empty.
std::vector<GeneratedFile> emit(const CodeUnit& unit, Language language);

// Whether C code of a unit has vectors (`side_by_side`). GCC needs a flag more for them: the pass
// that joins statements of GCC 12 loads some vectors of eight numbers wrongly (AVX-512).
bool has_vectors(const std::string& c_code);
inline constexpr const char* vector_gcc_flag = "-fno-tree-slp-vectorize";
// Whether C code has functions so long that they are cut in parts. There GCC does better without
// that pass, too, which gathers what is stored, and by the costs of any processor: by those of
// AMD's it keeps numbers in registers for integers.
bool has_parts(const std::string& c_code);
inline constexpr const char* long_gcc_flag = "-mtune=generic";

// Names of files that every unit of that name has, for those who look whether there is room for
// them before the equations are derived.
std::vector<std::string> first_files(const std::string& unit, Language language);

// Why no code can be made of the unit (a symbol that is no argument, lists of unequal length, two
// functions of one name), as a sentence; empty when all is well.
std::string problem_of(const CodeUnit& unit);

// "c", "c++", "python", "octave", "cuda", "latex"
std::optional<Language> language_named(const std::string& name);

}  // namespace cartan::codegen
