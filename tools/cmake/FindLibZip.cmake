# libzip by its header and library: Debian's own package file insists on programs that are packages
# of their own. Gives the target LibZip::LibZip.
find_path(LibZip_INCLUDE_DIR zip.h)
find_library(LibZip_LIBRARY zip)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibZip REQUIRED_VARS LibZip_LIBRARY LibZip_INCLUDE_DIR)
if(LibZip_FOUND AND NOT TARGET LibZip::LibZip)
  add_library(LibZip::LibZip INTERFACE IMPORTED)
  target_include_directories(LibZip::LibZip SYSTEM INTERFACE ${LibZip_INCLUDE_DIR})
  target_link_libraries(LibZip::LibZip INTERFACE ${LibZip_LIBRARY})
endif()
