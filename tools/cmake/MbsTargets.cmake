# The one place where compile options of our own code are set: warnings are errors, results do not
# depend on the machine's instruction set (the FMU must give the same bits everywhere).
add_library(mbs_options INTERFACE)
target_compile_options(mbs_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror
  # GCC 12 warns of overlaps inside std::string's own concatenation (GCC bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  -ffp-contract=off -fno-gnu-unique
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
target_include_directories(mbs_options INTERFACE ${PROJECT_SOURCE_DIR})
if(MBS_SANITIZE)
  target_compile_options(mbs_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(mbs_options INTERFACE -fsanitize=address,undefined)
endif()

# mbs_library(<name> SOURCES ... DEPENDS ...): a static library of one folder of the engine or tools.
function(mbs_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC mbs_options ${ARG_DEPENDS})
endfunction()

# mbs_test(<name> SOURCES ... DEPENDS ... [ENVIRONMENT ...] [LABELS ...]): one GoogleTest program,
# registered with ctest as <name>. Label "unit" (the default) runs under the sanitizers as well;
# what exports FMUs or runs long has the label "system".
function(mbs_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;ENVIRONMENT;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS "${ARG_LABELS}"
    ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()
