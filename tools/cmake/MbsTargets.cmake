# The one place where compile options of our own code are set: warnings are errors, and results do
# not depend on what instructions the machine has beyond its platform's least. (The last bits may
# still differ between versions of libm, compilers and platforms.)
add_library(mbs_options INTERFACE)
set(mbs_package_includes include/mbsfmu)
# Warnings are for this build alone: projects that use the libraries choose their own.
target_compile_options(mbs_options INTERFACE
  "$<BUILD_INTERFACE:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion;-Werror>"
  # GCC 12 warns of overlaps inside std::string's own concatenation (GCC bug 105651).
  $<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>>
  -ffp-contract=off -fno-gnu-unique
  $<BUILD_INTERFACE:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
target_include_directories(mbs_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${mbs_package_includes}>)
if(MBS_SANITIZE)
  # These five checks double the time of a build and are left out for it. The address sanitizer sees
  # null and out-of-bounds access as well; misaligned access, overflow of pointers and wrong dynamic
  # types are seen by nothing here.
  target_compile_options(mbs_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize=null,alignment,pointer-overflow,object-size,vptr
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(mbs_options INTERFACE -fsanitize=address,undefined)
endif()

# Headers that nearly every file needs are compiled once for all libraries and once for all tests:
# more than half of the time of a build goes into them otherwise. With OFF each file has to include
# what it uses.
option(MBS_PRECOMPILE "precompiled headers" ON)
if(MBS_PRECOMPILE)
  # The same bug of GCC 12 has other names where the headers are precompiled.
  target_compile_options(mbs_options INTERFACE
    $<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds>>
    $<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow>>)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/main.cpp CONTENT "int main() {}\n")
  set(headers <Eigen/Core> <Eigen/SparseCore> <algorithm> <cmath> <functional> <map> <memory> <span>
    <stdexcept> <string> <vector>)
  add_library(mbs_headers STATIC EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled/main.cpp)
  target_link_libraries(mbs_headers PRIVATE mbs_options Eigen3::Eigen)
  target_precompile_headers(mbs_headers PRIVATE ${headers})
  if(MBS_TESTS)
    add_executable(mbs_test_headers EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled/main.cpp)
    target_link_libraries(mbs_test_headers PRIVATE mbs_options Eigen3::Eigen GTest::gtest)
    target_precompile_headers(mbs_test_headers PRIVATE ${headers} <gtest/gtest.h>)
  endif()
endif()
function(mbs_precompiled name donor)
  get_target_property(sources ${name} SOURCES)
  if(MBS_PRECOMPILE AND NOT "${sources}" MATCHES "\\.c(;|$)")
    target_precompile_headers(${name} REUSE_FROM ${donor})
  endif()
endfunction()

# Targets that other CMake projects can link: see MbsPackage.cmake.
function(mbs_in_package)
  set_property(GLOBAL APPEND PROPERTY MBS_PACKAGE_TARGETS ${ARGN})
endfunction()
mbs_in_package(mbs_options)

# mbs_library(<name> SOURCES ... DEPENDS ...): a static library of one folder of the engine or tools.
function(mbs_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC mbs_options ${ARG_DEPENDS})
  mbs_precompiled(${name} mbs_headers)
  mbs_in_package(${name})
endfunction()

# mbs_test(<name> SOURCES ... DEPENDS ... [ENVIRONMENT ...] [LABELS ...]): one GoogleTest program,
# registered with ctest as <name>. Label "unit" (the default) runs under the sanitizers as well;
# what exports FMUs or runs long has the label "system".
function(mbs_test name)
  cmake_parse_arguments(ARG "" "SHARDS" "SOURCES;DEPENDS;ENVIRONMENT;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest_main)
  mbs_precompiled(${name} mbs_test_headers)
  if(NOT ARG_SHARDS)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS "${ARG_LABELS}"
      ENVIRONMENT "${ARG_ENVIRONMENT}")
    return()
  endif()
  math(EXPR last "${ARG_SHARDS} - 1")
  foreach(shard RANGE ${last})
    add_test(NAME ${name}_${shard} COMMAND ${name})
    set_tests_properties(${name}_${shard} PROPERTIES TIMEOUT 600 LABELS "${ARG_LABELS}"
      ENVIRONMENT "${ARG_ENVIRONMENT};GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()
