# What others get of this project: `cmake --install` gives the program, the runtime that goes into
# FMUs, templates, manual, and a CMake package for models in C++; the same package is in the build
# folder (find_package(mbsfmu) with mbsfmu_DIR naming either).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mbsfmu)
set(config [[
include(CMakeFindDependencyMacro)
list(PREPEND CMAKE_MODULE_PATH "@modules@")
find_dependency(Eigen3 3.4 NO_MODULE)
find_dependency(pugixml)
find_dependency(LibZip)
if("@MBS_WITH_KLU@")
  find_dependency(KLU)
endif()
list(POP_FRONT CMAKE_MODULE_PATH)
include("${CMAKE_CURRENT_LIST_DIR}/mbsfmuTargets.cmake")
include("@modules@/MbsCppModel.cmake")
]])
get_property(targets GLOBAL PROPERTY MBS_PACKAGE_TARGETS)

# The build folder.
export(TARGETS ${targets} FILE ${PROJECT_BINARY_DIR}/mbsfmuTargets.cmake)
set(modules ${PROJECT_SOURCE_DIR}/tools/cmake)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/mbsfmuConfig.cmake @ONLY CONTENT "${config}")
# Warnings are the user's own affair.
file(APPEND ${PROJECT_BINARY_DIR}/mbsfmuConfig.cmake
  "set_target_properties(mbs_options PROPERTIES INTERFACE_COMPILE_OPTIONS \"-ffp-contract=off;-fno-gnu-unique\")\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mbsfmuConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)

# The installed tree.
install(TARGETS mbsfmu RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS mbsfmu_runtime LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/mbsfmu)
install(TARGETS ${targets} EXPORT mbsfmuTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/mbsfmu
  OBJECTS DESTINATION ${CMAKE_INSTALL_LIBDIR}/mbsfmu)
install(EXPORT mbsfmuTargets DESTINATION ${package_dir})
set(modules "\${CMAKE_CURRENT_LIST_DIR}")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/package/mbsfmuConfig.cmake @ONLY CONTENT "${config}")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/package/mbsfmuConfig.cmake
              ${PROJECT_BINARY_DIR}/mbsfmuConfigVersion.cmake
              tools/cmake/MbsCppModel.cmake tools/cmake/FindKLU.cmake tools/cmake/FindLibZip.cmake
        DESTINATION ${package_dir})
install(DIRECTORY engine fmu_src tools DESTINATION ${mbs_package_includes}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(FILES fmu_src/exports.map DESTINATION ${mbs_package_includes}/fmu_src)
install(DIRECTORY model_templates/ DESTINATION ${CMAKE_INSTALL_DATADIR}/mbsfmu/templates)
install(FILES engine/model/generated/mbs.xsd DESTINATION ${CMAKE_INSTALL_DATADIR}/mbsfmu)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(FILES engine/model/generated/manual.md README.md CHANGELOG.md LICENSE LICENSE-THIRD-PARTY.md
              LICENSE-THIRD-PARTY-TEXTS.txt
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
