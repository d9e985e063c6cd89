// Counts how often this test program asked operator new for memory.
#pragma once

namespace cartan::test {

long allocation_count();

}  // namespace cartan::test
