# Flags that every target of the project shares, and the few helpers its folders use.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBELF REQUIRED IMPORTED_TARGET libelf)
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)

find_program(TENON_CCACHE ccache)
if(TENON_CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${TENON_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TENON_CCACHE})
endif()

add_library(tenon_flags INTERFACE)
target_compile_options(tenon_flags INTERFACE
  -Wall -Wextra -Werror -Wno-unused-parameter -Wundef -Wvla -fno-semantic-interposition
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition>)
target_compile_definitions(tenon_flags INTERFACE _GNU_SOURCE)
target_include_directories(tenon_flags INTERFACE ${PROJECT_SOURCE_DIR}/include)
# With new dtags LD_LIBRARY_PATH goes before the path a program carries, so that a test can be run against
# another build.
target_link_options(tenon_flags INTERFACE -Wl,--enable-new-dtags)

if(TENON_SANITIZE)
  target_compile_options(tenon_flags INTERFACE
    -fsanitize=${TENON_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tenon_flags INTERFACE -fsanitize=${TENON_SANITIZE})
  target_compile_definitions(tenon_flags INTERFACE TENON_SANITIZED=1)
else()
  # A sanitizer's runtime must come first in a program, also where the program's own code needs none of it.
  target_link_options(tenon_flags INTERFACE -Wl,--as-needed)
endif()
if(TENON_COVERAGE)
  target_compile_options(tenon_flags INTERFACE --coverage -O0)
  target_link_options(tenon_flags INTERFACE --coverage)
endif()

if(TENON_FUZZ)
  target_compile_options(tenon_flags INTERFACE
    -fsanitize=fuzzer-no-link -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(tenon_flags INTERFACE -fprofile-instr-generate)
endif()

# The host's own code: may include from src/ ("base/status.h") as well as from include/.
add_library(tenon_private INTERFACE)
target_link_libraries(tenon_private INTERFACE tenon_flags)
target_include_directories(tenon_private INTERFACE ${PROJECT_SOURCE_DIR}/src)
