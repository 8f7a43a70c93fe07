# mbs_add_fmu(<name> SOURCES <file>... [LIBRARIES <target>...] [FMI 2.0 3.0]): FMUs of a model that is
# written in C++ and defines mbs::cpp_model(). The target <name> makes <name>_fmi2.fmu and
# <name>_fmi3.fmu in the current binary folder (one of them when FMI says so), checked by the rules of
# the standard.
function(mbs_add_fmu name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;FMI" ${ARGN})
  if(NOT ARG_SOURCES OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "mbs_add_fmu(${name} ...) needs SOURCES and understands LIBRARIES and FMI, not '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT ARG_FMI)
    set(ARG_FMI 2.0 3.0)
  endif()
  add_library(${name}_model OBJECT ${ARG_SOURCES})
  target_link_libraries(${name}_model PUBLIC mbs_cpp_model ${ARG_LIBRARIES})
  set_target_properties(${name}_model PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_features(${name}_model PUBLIC cxx_std_20)

  add_library(${name}_runtime MODULE)
  target_link_libraries(${name}_runtime PRIVATE ${name}_model mbs_fmu_cpp_library mbs_fmu_c)
  set_target_properties(${name}_runtime PROPERTIES PREFIX "" LINKER_LANGUAGE CXX)

  add_executable(${name}_export)
  target_link_libraries(${name}_export PRIVATE ${name}_model mbs_export_cpp)
  set_target_properties(${name}_export PROPERTIES LINKER_LANGUAGE CXX)

  set(fmus)
  foreach(version ${ARG_FMI})
    if(NOT version MATCHES "^[23]\\.0$")
      message(FATAL_ERROR "mbs_add_fmu(${name} ...): FMI is 2.0 or 3.0, not '${version}'")
    endif()
    string(SUBSTRING ${version} 0 1 digit)
    set(fmu ${CMAKE_CURRENT_BINARY_DIR}/${name}_fmi${digit}.fmu)
    add_custom_command(OUTPUT ${fmu}
      COMMAND ${name}_export $<TARGET_FILE:${name}_runtime> ${version} ${fmu}
      DEPENDS ${name}_export ${name}_runtime VERBATIM)
    list(APPEND fmus ${fmu})
  endforeach()
  add_custom_target(${name} ALL DEPENDS ${fmus})
  set_target_properties(${name} PROPERTIES MBS_FMUS "${fmus}")
endfunction()

# Lets other CMake projects use this build folder: find_package(mbsfmu) with mbsfmu_DIR naming it.
function(mbs_export_build_tree)
  set(targets mbs_options)
  foreach(folder engine/linear engine/model engine/equations engine/contact engine/multibody engine/cpp_model engine/analysis
          engine/integrators engine/events engine/simulation fmu_src tools/import tools/check_fmu
          tools/report tools/export)
    get_property(here DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target ${here})
      get_target_property(type ${target} TYPE)
      if(type MATCHES "^(STATIC|OBJECT|INTERFACE)_LIBRARY$")
        list(APPEND targets ${target})
      endif()
    endforeach()
  endforeach()
  export(TARGETS ${targets} FILE ${PROJECT_BINARY_DIR}/mbsfmuTargets.cmake)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/mbsfmuConfig.cmake @ONLY CONTENT [[
include(CMakeFindDependencyMacro)
list(PREPEND CMAKE_MODULE_PATH "@PROJECT_SOURCE_DIR@/tools/cmake")
find_dependency(Eigen3 3.4 NO_MODULE)
find_dependency(pugixml)
find_dependency(LibZip)
if("@MBS_WITH_KLU@")
  find_dependency(KLU)
endif()
list(POP_FRONT CMAKE_MODULE_PATH)
include("@PROJECT_BINARY_DIR@/mbsfmuTargets.cmake")
include("@PROJECT_SOURCE_DIR@/tools/cmake/MbsCppModel.cmake")
# Warnings are the user's own affair.
set_target_properties(mbs_options PROPERTIES INTERFACE_COMPILE_OPTIONS "-ffp-contract=off;-fno-gnu-unique")
]])
endfunction()
