// Manual: conditions, files, and what scripts rely on.
#include "manual.h"

namespace tamis::cli {

namespace {

constexpr std::string_view kIntroduction =
    R"(`tamis` selects, fills, counts, describes and draws the elements of array files for which a condition is true.
Files may be larger than memory: they are read in windows, on all cores, and the condition and the work that
depends on it are computed in a single pass.)";

constexpr std::string_view kConditions =
    R"(A condition is an expression over the input files. Give a file a name with `=`, as in
`tamis stats x=a.npy y=b.npy`; files without a name are called `x`, `y` and `z` in turn. All commands work on the
first file. Shapes are broadcast as in NumPy and PyTorch, and dtypes are promoted as in PyTorch.

Operators, from lowest to highest precedence. Operators on the same line have equal precedence and group from the
left, except `**`:

    or
    and
    not
    |
    ^
    &
    ==  !=  <  <=  >  >=      chained: 0 < x <= 3
    +  -
    *  /  //  %
    -x  +x  ~x
    **

Unlike in Python, comparisons bind more tightly than `&`, `^` and `|`, so `x > 3 & ~isnan(x)` means
`(x > 3) & (~isnan(x))`. With those parentheses, the expression means the same in NumPy. `and`, `or` and `not` accept
any dtype; `&`, `|`, `^` and `~` accept bools and integers and work bit by bit.

Numbers are written `3`, `0xff`, `2.5`, `1e-3`, `inf`, `nan`, `true` and `false`. Integers are exact: an integer
constant that needs more than 64 bits is an error, and so is arithmetic on constants whose result does. Lists such as
`[2, 4, 7]` can be passed to functions. `isin` also accepts the name of a file, which is then read as a whole.

Numbers are compared by value, whatever the dtype. For a uint8 array, `x > -1` and `x < 300` are true everywhere,
`x == 506` is true nowhere, and `x > 2.5` means `x >= 3`. The one exception: in a comparison with a floating-point
array, a number with a fraction is first rounded to the dtype of the array, so that `x == 0.1` finds the float32
nearest to 0.1. An integer array and a floating-point array are compared in float64.

Integer arithmetic does not wrap around in small dtypes: it is done in int64, or in float64 if the result can have
a fraction, as in `x / 2`, `sqrt(x)` and `x - mean(x)`. `x + 1 > 255` therefore finds 255 in a uint8 array. uint64
arrays are computed in uint64, where 0 - 1 is 2^64 - 1, and beside arrays of signed integers in float64. Results
that need more than 64 bits wrap around. `~x` flips the bits of the dtype of `x`. Floating-point arrays keep the dtype
that promotion gives them.

`i`, `j` and `k` are the indices along the first, second and third dimension, starting at 0. For example, `i > j`
is true below the diagonal of a matrix.

Functions of whole arrays, such as `mean(x)`, return a single number. It is computed in a pass over the files before
the condition is evaluated, and NaN is left out. The argument may be any expression:
`abs(x - mean(x)) > 3 * std(x)`. `q(0.05)` is short for `q(x, 0.05)`, where `x` is the first file.

Mask builders such as `causal(512)` have their own shape, which is broadcast with the others.)";

constexpr std::string_view kFiles =
    R"(Supported formats are `.npy` (all versions), `.npz`, `.safetensors`, `.csv` and raw files, and Zarr stores. Raw files
need `--dtype`, and `--shape` unless they are 1-d. Arrays in C or Fortran order and in either byte order can be read; output is
always in C order and little-endian. `-` is standard input or standard output. The format of an output file follows
from its extension or from `--format`. A name without an extension means `.npy`, and an unknown extension is an error.
If a file holds several arrays, choose one with `--name` or write `model.npz:weight` in place of the file name.

CSV files contain comma-separated numbers as described in RFC 4180, with one matrix row or one vector element per
line. The dtype is bool if all values are `true` or `false`, int64 if all are integers, and float64 otherwise;
`--dtype` overrides it. An empty field is NaN. `--header` skips a first line of column names, and `--csv` reads
standard input as CSV. Floats are written with as many digits as are needed to read back the same bits in the same
dtype.

A Zarr store is a folder, or a zip archive whose name ends in `.zip`, of version 2 or 3 of the format. Shards, big
endian and transposed chunks and the codecs zstd, gzip, zlib, blosc and crc32c can be read; chunks that were never
written have the fill value. An array in a group is `store.zarr:group/array`, or `store.zarr/group/array` in a folder.
Each chunk is decoded once for a pass, on all cores. Chunks that lie side by side are kept until all their rows have
been used; if they are larger than 256 MiB together, they are kept in a temporary file. Stores are written in version
3, with chunks of about 4 MiB compressed by zstd, unless `--chunks`, `--shards`, `--codec` and `--zarr-version` say
otherwise; `fill`, `mask` and `convert` keep the chunks of their input. Chunks in which all is zero are left out.

Output files appear complete or not at all: they are written under a temporary name, synced to disk and renamed.
If the command fails or is ended by a signal, an existing file is left unchanged. With `--no-sync`, the command does
not wait for the disk. If the machine then crashes within a few seconds, the output may be empty and the file it
replaced lost.

Input files are checked before use. Malformed and truncated files are rejected, and so are pickled objects, links
inside of Zarr stores, chunks with a wrong checksum or size, and shards whose chunks overlap.
Compressed members of `.npz` files, arrays in Fortran order, CSV files and piped input are first copied to a
temporary file in the directory given by `TMPDIR`, or in /var/tmp if it is not set.)";

constexpr std::string_view kScripts =
    R"(Results go to standard output and everything else goes to standard error. With `--quiet`, only errors are printed
there. If a file cannot be used, `info` continues with the next one, and so do `count` and `stats` with `--each`;
the exit code is that of the most serious error. With `--json`, `count`, `stats` and `info` print their results as one
line of JSON, in which NaN is null and infinities are the strings "inf" and "-inf". A progress bar appears for work
that takes more than a second if standard error is a terminal. Colours are used only on terminals, and never if
`NO_COLOR` is set. Results do not depend on the number of threads.

Exit codes:

    0  success
    1  usage error: options, conditions, shapes that do not broadcast
    2  bad input: malformed files, arrays that cannot be used
    3  input or output failed: missing files, full disks, not enough memory)";

constexpr Section kSections[] = {
    {"Conditions", kConditions}, {"Files", kFiles}, {"Scripts", kScripts}};

}  // namespace

std::string_view manual_introduction() { return kIntroduction; }
std::span<const Section> manual_sections() { return kSections; }

}  // namespace tamis::cli
