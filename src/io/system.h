// What files need of the system beyond reading and writing. WebAssembly has nothing of it, and
// wasm/system.cpp says what is done instead.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>

#include "io/file.h"

namespace tamis::io {

/// Another descriptor of the same file, or none, with errno.
Descriptor duplicate(int fd);

/// A new file without a name in this folder, or none, with errno.
Descriptor open_unnamed(const std::string& folder);

/// How many bytes the file system of fd still takes; nothing if it does not tell.
std::optional<uint64_t> free_bytes(int fd);

/// Where a chain of links ends; the path itself if there is no such file.
std::string follow_links(const std::string& path);

/// Gives a new file the owner and the permissions of an old one, as far as that is allowed.
void copy_permissions(int fd, const struct stat& old);

/// Makes the system begin to write these bytes to the disk; does not wait for it.
void start_write_back(int fd, uint64_t begin, uint64_t end) noexcept;

/// Removes a file, or a folder with all that is in it; links are not followed. A signal handler may
/// call it.
void remove_tree(const char* path) noexcept;

/// Enters the path of a file, or folder, that is to be removed if a signal ends the process; what
/// `forget` takes. See remove_temporary_files_on_signals.
size_t remember(const std::string& path);
void forget(size_t slot);

}  // namespace tamis::io
