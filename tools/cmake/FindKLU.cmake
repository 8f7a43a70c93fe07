# KLU of SuiteSparse with BTF, AMD and COLAMD: the static libraries, which need libc and libm alone.
# Gives the target KLU::KLU.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(_klu_libraries)
foreach(part klu btf amd colamd suitesparseconfig)
  find_library(KLU_${part}_LIBRARY NAMES lib${part}.a ${part})
  list(APPEND _klu_libraries ${KLU_${part}_LIBRARY})
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS
  KLU_INCLUDE_DIR KLU_klu_LIBRARY KLU_btf_LIBRARY KLU_amd_LIBRARY KLU_colamd_LIBRARY
  KLU_suitesparseconfig_LIBRARY)
if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU INTERFACE IMPORTED)
  target_include_directories(KLU::KLU SYSTEM INTERFACE ${KLU_INCLUDE_DIR})
  target_link_libraries(KLU::KLU INTERFACE ${_klu_libraries})
endif()
