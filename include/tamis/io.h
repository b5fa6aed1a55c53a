// Files: loading and saving tensors as .npy, .npz, .safetensors and Zarr.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tamis/tensor.h"

namespace tamis {

/// Tensors with their names, in the order of the file.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// The array of a .npy file, or the only one of an .npz or .safetensors file or of a Zarr store,
/// which is a folder or a zip archive; "-" is the standard input. The format is told by the
/// content; C and Fortran order and both orders of bytes are read, the result is row-major. Throws
/// kind io if the file cannot be read, kind format if it is malformed (nothing in it is trusted:
/// sizes are compared with that of the file before memory is allocated, pickled objects are
/// refused), kind dtype for an element type that Tamis has not, kind value if there are several
/// arrays, and names them.
Tensor load(const std::string& path);
/// The array of that name in an .npz or .safetensors file or a Zarr group, where it is a path.
Tensor load(const std::string& path, const std::string& name);
/// All arrays of a file; that of a .npy file or of a Zarr store that is one array has an empty
/// name.
NamedTensors load_all(const std::string& path);
/// As load, but read-only and over the mapped file where its layout allows, so that files larger
/// than memory can be used: what is read of the tensor is read from the file then. The file must
/// not be changed while the tensor lives. Once it has been shortened, whatever reads the tensor
/// throws kind io; a read that is under way at that moment finds zeros instead of a crash (a
/// handler for SIGBUS, installed by the first call, sees to that), and so does who has the address.
Tensor load_mapped(const std::string& path);
Tensor load_mapped(const std::string& path, const std::string& name);

/// Writes x, row-major and little endian, in the format of the path's ending: .npy, .npz (where it
/// is called arr_0), .safetensors (tensor), .zarr or .zip (a Zarr store of version 3, compressed by
/// zstd, in a folder or in an archive). The file appears whole or not at all: the bytes go to
/// a temporary file beside it, which is synced and renamed. Throws kind io if the system refuses,
/// kind value for another ending, kind dtype for an element type that the format has not.
void save(const std::string& path, const Tensor& x);
/// The same for several tensors, to .npz, .safetensors or a Zarr group. Names must differ.
void save_all(const std::string& path, const NamedTensors& tensors);

}  // namespace tamis
