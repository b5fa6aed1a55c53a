// The table of commands: options, descriptions and examples.
#include "app.h"
#include "commands/commands.h"
#include "commands/examples.h"

namespace tamis::cli {

namespace {

// ---- options that several commands have ---------------------------------------------------------

void add_files(CLI::App& c, Options& o, bool required = true) {
  auto* files = c.add_option("files", o.files,
                             "Input files: a.npy, name=a.npy or a.npz:array; - is standard input");
  files->type_name("FILE");
  if (required) files->required();
  c.add_option(
       "--name", o.names,
       "Array in an .npz or .safetensors file or a Zarr group; x=NAME if there are several files")
      ->type_name("NAME");
  c.add_option("--dtype", o.dtype, "Element type of raw and CSV files, e.g. float32")
      ->type_name("TYPE");
  c.add_option("--shape", o.shape, "Shape of raw and CSV files, e.g. 100,200; one size may be -1")
      ->type_name("SIZES");
  c.add_flag("--csv", o.csv, "Read files with an unknown extension, and standard input, as CSV");
  c.add_flag("--header", o.header, "The first line of CSV files holds column names");
}

/// An empty text is what a shell makes of a variable that is not set.
std::string refuse_empty(const std::string& text) {
  return text.empty() ? "must not be empty" : "";
}

CLI::Option* add_where(CLI::App& c, Options& o,
                       const char* text = "Condition; elements where it is true are kept") {
  return c.add_option("-w,--where", o.where, text)->type_name("CONDITION")->check(refuse_empty);
}

void add_output(CLI::App& c, Options& o,
                const char* text = "Output file (default: -, standard output)") {
  c.add_option("-o,--output", o.output, text)->type_name("FILE");
  c.add_option("--format", o.format,
               "npy, npz, safetensors, zarr, raw or csv (default: from the file name)")
      ->type_name("FORMAT");
  c.add_option(
       "--chunks", o.chunks,
       "Chunk sizes of a Zarr store, e.g. 100,200 (default: as the input, else about 4 MiB)")
      ->type_name("SIZES");
  c.add_option("--shards", o.shards, "Shard sizes of a Zarr store: files that hold whole chunks")
      ->type_name("SIZES");
  c.add_option("--codec", o.codec,
               "Compression of a Zarr store: zstd, gzip, blosc or none, e.g. zstd:3 with a level "
               "(default: zstd:1)")
      ->type_name("CODEC");
  c.add_option("--zarr-version", o.zarr_version, "Version of a Zarr store: 2 or 3 (default: 3)")
      ->type_name("N")
      ->check(CLI::Range(2, 3).description(""));
  c.add_flag("--no-sync", o.no_sync, "Do not wait until the output is on disk");
}

void add_json(CLI::App& c, Options& o) { c.add_flag("--json", o.json, "Print JSON"); }

void add_each(CLI::App& c, Options& o) {
  c.add_flag("--each", o.each,
             "Process each unnamed file on its own, as x; named files are available to all");
}

// ---- commands -----------------------------------------------------------------------------------

void define_select(CLI::App& c, Options& o) {
  add_files(c, o);
  add_where(c, o)->required();
  add_output(c, o);
}

void define_fill(CLI::App& c, Options& o) {
  add_files(c, o);
  add_where(c, o, "Condition; the value is filled in where it is true")->required();
  c.add_option("--value", o.value, "Value to fill in: a number or an expression")
      ->type_name("VALUE")
      ->check(refuse_empty)
      ->required();
  add_output(c, o);
}

void define_count(CLI::App& c, Options& o) {
  add_files(c, o);
  add_where(c, o, "Condition; elements where it is true are counted (default: nonzero elements)");
  add_each(c, o);
  c.add_option("--dim", o.dims, "Dimensions to count along; negative ones count from the end")
      ->type_name("N")
      ->delimiter(',');
  add_json(c, o);
  add_output(c, o, "With --dim: write the counts to this file");
}

void define_stats(CLI::App& c, Options& o) {
  add_files(c, o);
  add_where(c, o);
  add_each(c, o);
  c.add_option("--dim", o.dims, "Dimensions to summarise along; negative ones count from the end")
      ->type_name("N")
      ->delimiter(',');
  c.add_option("--quantiles", o.quantiles, "Quantiles to print (default: 0.05,0.25,0.5,0.75,0.95)")
      ->type_name("P")
      ->delimiter(',');
  add_json(c, o);
}

void define_mask(CLI::App& c, Options& o) {
  add_files(c, o, /*required=*/false);
  add_where(c, o, "Condition; its values are the mask");
  c.add_option("--lengths", o.lengths,
               "File of lengths: each row of the mask is true up to its length")
      ->type_name("FILE");
  c.add_option("--max-len", o.max_len, "Row length (default: the largest length)")->type_name("N");
  add_output(c, o);
}

void define_partition(CLI::App& c, Options& o) {
  add_files(c, o);
  add_where(c, o)->required();
  add_output(c, o, "File for the kept elements");
  c.add_option("--rejected", o.rejected, "File for the other elements")
      ->type_name("FILE")
      ->required();
}

void define_show(CLI::App& c, Options& o) {
  add_files(c, o);
  add_where(c, o);
  c.add_option("-o,--output", o.picture, "PNG file for the picture; - is standard output")
      ->type_name("FILE");
  c.add_flag("--values", o.values, "Colour kept elements by value");
}

void define_head(CLI::App& c, Options& o) {
  add_files(c, o);
  add_where(c, o);
  c.add_option("-n,--lines", o.lines, "Number of lines to print (default: 10)")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""));
}

void define_convert(CLI::App& c, Options& o) {
  add_files(c, o);
  add_output(c, o);
  c.add_option("--columns", o.columns, "Column names for the first line of a CSV file, e.g. a,b,c")
      ->type_name("NAMES")
      ->delimiter(',');
}

void define_info(CLI::App& c, Options& o) {
  add_files(c, o);
  add_json(c, o);
}

void define_help(CLI::App& c, Options& o) {
  c.add_option("command", o.command, "Command to describe; if omitted, list all commands")
      ->type_name("COMMAND");
}

void define_docs(CLI::App& c, Options& o) {
  c.add_flag("--man", o.man, "Print the man page");
  c.add_flag("!--markdown", o.man, "Print docs/command-line.md (default)")->excludes("--man");
}

void define_completions(CLI::App& c, Options& o) {
  c.add_option("shell", o.shell, "bash, zsh or fish")->type_name("SHELL")->required();
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"select", "Write the elements for which a condition is true",
       "Writes the elements of the first file for which the condition is true, as a 1-d array in "
       "row-major order.",
       define_select, run_select, select_examples()},
      {"fill", "Replace elements for which a condition is true",
       "Writes the first file with elements replaced where the condition is true. The value is a "
       "number that the dtype can\n"
       "hold, or an expression, which supplies the value of each element.",
       define_fill, run_fill, fill_examples()},
      {"count", "Count the elements for which a condition is true",
       "Prints the number of elements for which the condition is true; without a condition, the "
       "number that are true or\n"
       "nonzero. With `--dim`, there is one count for every index of the other dimensions, printed "
       "one per line (or one row\n"
       "per line), or written to a file. With `--each`, there is one line per file.",
       define_count, run_count, count_examples()},
      {"stats", "Summarise the elements for which a condition is true",
       "Prints count, sum, mean, standard deviation, extremes and quantiles of the kept elements "
       "of the first file. NaN\n"
       "values are counted but left out of everything else; infinities are counted and included. "
       "Quantiles are exact, with\n"
       "linear interpolation, and the standard deviation has the divisor n - 1. With `--dim`, "
       "there is one line for every\n"
       "index of the other dimensions, with quantiles only if `--quantiles` lists them; with "
       "`--each`, there is one line per\n"
       "file.",
       define_stats, run_stats, stats_examples()},
      {"mask", "Write the mask of a condition, or of lengths",
       "Writes a mask: the values of a condition or, for a file of lengths, rows that are true up "
       "to their length. The mask\n"
       "of a condition has the shape of the first file, broadcast with the others. Builders such "
       "as `causal(512)` make masks\n"
       "without any file.",
       define_mask, run_mask, mask_examples()},
      {"partition", "Split an array into two files by a condition",
       "Writes the elements of the first file for which the condition is true to one file and the "
       "others to another, in\n"
       "one pass.",
       define_partition, run_partition, partition_examples()},
      {"show", "Draw the mask of a condition",
       "Draws the condition's mask as a matrix, in the terminal and optionally as a picture. The "
       "columns are the last\n"
       "dimension, the rows all others. Each cell is a block of elements, coloured by the share of "
       "elements that are kept or,\n"
       "with `--values`, by the mean of the kept elements; rejected elements are grey. Counts are "
       "exact. Without a condition,\n"
       "a file of bools is drawn as the mask itself, and any other file is drawn by its values.",
       define_show, run_show, show_examples()},
      {"head", "Print the first elements",
       "Prints the first lines of an array: one row per line or, for a 1-d array, one element. "
       "With a condition, prints the\n"
       "first elements for which it is true, each preceded by its index. Floats are printed with "
       "all their digits.",
       define_head, run_head, head_examples()},
      {"convert", "Convert a file to another format",
       "Writes the array of a file to a file of another format, or all its arrays if the format "
       "can hold several. The\n"
       "elements keep their dtype. A CSV file has one line for each row of a matrix or each "
       "element of a vector.",
       define_convert, run_convert, convert_examples()},
      {"info", "Describe the contents of files",
       "Prints the names, dtypes, shapes and sizes of the arrays in files; of Zarr stores also "
       "chunks, shards, codecs, fill\n"
       "values and names of dimensions. Only headers are read, except for CSV files, which are "
       "read "
       "as a whole. If a file\n"
       "cannot be read, the others are still described, and the exit code reports the error.",
       define_info, run_info, info_examples()},
      {"completions",
       "Print completions for a shell",
       "Prints a script with which a shell completes commands, options and files.",
       define_completions,
       run_completions,
       {{"In the current bash session", "eval \"$(tamis completions bash)\"", ""}}},
      {"help",
       "Print help for a command",
       "Prints the same text as `tamis COMMAND --help`.",
       define_help,
       run_help,
       {{"Help for one command", "tamis help count | head -n 1",
         "Count the elements for which a condition is true\n"}}},
      {"docs", "Print the manual", "", define_docs, run_docs, {}},
  };
  return table;
}

}  // namespace tamis::cli
