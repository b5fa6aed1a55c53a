// Manual: conditions, files, and what scripts rely on.
#include "manual.h"

namespace tamis::cli {

namespace {

constexpr std::string_view kIntroduction =
    R"(`tamis` works on arrays in files by conditions: it selects, fills, counts, describes and draws the
elements for which a condition is true. Files may be larger than memory: they are read window by window,
on all cores, and the condition, the selection and what comes of it are computed in one go.)";

constexpr std::string_view kConditions =
    R"(A condition is an expression over the files of the command. A file is called what stands before its
`=`: `tamis stats x=a.npy y=b.npy`. Files without a name are `x`, `y` and `z` in turn. All commands work on the
first file; shapes are broadcast as in NumPy and PyTorch, dtypes promoted as in PyTorch.

Operators, from the loosest to the tightest; those in one line bind equally and group from the left,
except `**`:

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

Other than in Python, comparisons bind tighter than `&`, `^` and `|`, so `x > 3 & ~isnan(x)` means
`(x > 3) & (~isnan(x))`; with parentheses it means the same in NumPy. `and`, `or` and `not` take any dtype, `&`,
`|`, `^` and `~` bools and integers, bit by bit.

Numbers are `3`, `0xff`, `2.5`, `1e-3`, `inf`, `nan`, `true` and `false`. Integers are exact: a number without a point
or an exponent that needs more than 64 bits is refused, and so is arithmetic on numbers that leads there. Lists such
as `[2, 4, 7]` are arguments of functions; `isin` also takes the name of a file, which it reads as a whole.

Numbers are compared by value, whatever the dtype: for an array of uint8, `x > -1` and `x < 300` are true everywhere,
`x == 506` is true nowhere, and `x > 2.5` means `x >= 3`. Only beside floating point is a number with a fraction
rounded to the dtype of the array first, so that `x == 0.1` finds the float32 nearest to 0.1. Integers and floating
point of two arrays are compared in float64.

Arithmetic on integers does not wrap in small dtypes: it is done in int64, or in float64 where fractions come out, as
in `x / 2`, `sqrt(x)` and `x - mean(x)`. So `x + 1 > 255` finds 255 in an array of uint8; what needs more than 64 bits
wraps. `~x` flips the bits that the dtype of `x` has. Arrays of floating point keep the dtype that promotion gives.

`i`, `j` and `k` are the indices along the first, second and third dimension, from 0: `i > j` is what is below the
diagonal of a matrix.

Values of whole arrays are numbers that are computed in passes over the files beforehand. NaN is left out
of them. Their argument may be any expression: `abs(x - mean(x)) > 3 * std(x)`. `q(0.05)` is short for
`q(x, 0.05)` with the first file.

Mask builders such as `causal(512)` have a shape of their own, which is broadcast with the others.)";

constexpr std::string_view kFiles =
    R"(`.npy` (all versions), `.npz`, `.safetensors`, `.csv`, and raw files, which need `--dtype`, and `--shape` unless
they are 1-d. C and Fortran order and both byte orders are read; what is written is in C order and little endian. `-`
is the standard input or output. The format of an output is told by the ending of its name or by `--format`; without
an ending it is `.npy`, and an ending that stands for none of them is refused. Of a file with several arrays, `--name`
chooses one, and so does `model.npz:weight` in place of the file.

A CSV file holds numbers, comma-separated as RFC 4180 has it: a matrix has a row of it on each line, a vector one
element. All are bool if all are `true` or `false`, int64 if all are whole numbers, else float64, or what `--dtype`
says; an empty field is NaN. `--header` skips a first line of names. The standard input is CSV with `--csv`. Floats are
written with as many digits as it takes to read the same bits again, in the same dtype.

An output appears whole or not at all: it is written under a temporary name, synced and renamed. If something
fails or a signal ends the command, a file that was there before is as it was. With `--no-sync` the command does not
wait for the disk: if the machine crashes within seconds, the output may be empty, and the file before it lost.

Inputs are checked before they are used; malformed and truncated ones are refused, and so are pickled objects.
Compressed members of `.npz` files, arrays in Fortran order, the numbers of CSV files and what comes through a pipe
are copied to a temporary file first: in the folder that the variable `TMPDIR` names, else in /var/tmp.)";

constexpr std::string_view kScripts =
    R"(Results go to the standard output, everything else to the standard error stream; with `--quiet` only errors do.
`info`, and `count` and `stats` with `--each`, go on with the next file if one cannot be used, and end with the exit
code of the worst. `--json` prints results of `count`, `stats` and `info` as one line of JSON, where NaN is null and
infinities are the strings "inf" and "-inf". A bar shows the progress of work that takes more than a second if the
standard error stream is a terminal. Colours are used on terminals only, and never if `NO_COLOR` is set. Results do
not depend on the number of threads.

Exit codes:

    0  done
    1  wrong usage: options, conditions, shapes that do not broadcast
    2  bad input: malformed files, arrays that cannot be used
    3  input or output failed: missing files, full disks, no memory)";

constexpr Section kSections[] = {
    {"Conditions", kConditions}, {"Files", kFiles}, {"Scripts", kScripts}};

}  // namespace

std::string_view manual_introduction() { return kIntroduction; }
std::span<const Section> manual_sections() { return kSections; }

}  // namespace tamis::cli
