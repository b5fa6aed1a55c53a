# webgpu_environment: what tests that use WebGPU need in their environment, a list of VAR=value.

# scripts/setup installs the library. A test that does not find it fails: it is not skipped.
set(webgpu_resources "site-packages/wgpu/resources/libwgpu_native-release.so")
file(GLOB webgpu_libraries CONFIGURE_DEPENDS
     "${PROJECT_SOURCE_DIR}/build/venv/lib/python3*/${webgpu_resources}")
list(APPEND webgpu_libraries "${PROJECT_SOURCE_DIR}/build/venv/lib/python3/${webgpu_resources}")
list(GET webgpu_libraries 0 webgpu_library)
if(NOT EXISTS "${webgpu_library}")
  message(WARNING "The tests of WebGPU will fail: its library is not in build/venv, where "
                  "`scripts/setup --test` puts it.")
endif()
# Drivers complain if they have no folder for sockets, although they need none.
set(webgpu_runtime_dir "${PROJECT_BINARY_DIR}/runtime")
file(MAKE_DIRECTORY "${webgpu_runtime_dir}")
set(webgpu_dawn "${PROJECT_SOURCE_DIR}/build/dawn")
set(webgpu_dawn_environment
    "TAMIS_WEBGPU_LIB=${webgpu_dawn}/libwebgpu_wrapper.so"
    "VK_ICD_FILENAMES=${webgpu_dawn}/vk_swiftshader_icd.json" "XDG_RUNTIME_DIR=${webgpu_runtime_dir}")
set(webgpu_environment "TAMIS_WEBGPU_LIB=${webgpu_library}" "XDG_RUNTIME_DIR=${webgpu_runtime_dir}")
