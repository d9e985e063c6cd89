// Counts how often this test program asked operator new for memory.
#pragma once

namespace cartan::expr_test {

long allocation_count();

}  // namespace cartan::expr_test
