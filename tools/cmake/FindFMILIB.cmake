# FMI Library (version 3, with FMI 2.0 and 3.0) as installed under FMILIB_ROOT. Gives the target
# FMILIB::FMILIB.
find_path(FMILIB_INCLUDE_DIR fmilib.h HINTS ${FMILIB_ROOT}/include)
find_library(FMILIB_LIBRARY NAMES fmilib_shared fmilib HINTS ${FMILIB_ROOT}/lib)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FMILIB REQUIRED_VARS FMILIB_LIBRARY FMILIB_INCLUDE_DIR)
if(FMILIB_FOUND AND NOT TARGET FMILIB::FMILIB)
  add_library(FMILIB::FMILIB INTERFACE IMPORTED)
  target_include_directories(FMILIB::FMILIB SYSTEM INTERFACE ${FMILIB_INCLUDE_DIR})
  target_link_libraries(FMILIB::FMILIB INTERFACE ${FMILIB_LIBRARY} ${CMAKE_DL_LIBS})
endif()
