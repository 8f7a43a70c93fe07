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
