// The table of commands: options, descriptions and examples.
#include "app.h"
#include "commands/commands.h"
#include "commands/examples.h"

namespace tamis::cli {

namespace {

// ---- options that several commands have ---------------------------------------------------------

void add_files(CLI::App& c, Options& o, bool required = true) {
  auto* files = c.add_option("files", o.files,
                             "Files, as in a.npy, name=a.npy or a.npz:array; - is the standard "
                             "input");
  files->type_name("FILE");
  if (required) files->required();
  c.add_option("--name", o.names,
               "The array inside an .npz or .safetensors file; var=NAME for one "
               "of several files")
      ->type_name("NAME");
  c.add_option("--dtype", o.dtype, "Element type of raw and CSV files, as in float32")
      ->type_name("TYPE");
  c.add_option("--shape", o.shape, "Shape of raw and CSV files, as in 100,200; one size may be -1")
      ->type_name("SIZES");
  c.add_flag("--csv", o.csv, "Files without a known ending, and the standard input, are CSV");
  c.add_flag("--header", o.header, "CSV files begin with a line of names");
}

/// An empty text is what a shell makes of a variable that is not set.
std::string refuse_empty(const std::string& text) { return text.empty() ? "it is empty" : ""; }

CLI::Option* add_where(CLI::App& c, Options& o, const char* text = "The condition; true keeps") {
  return c.add_option("-w,--where", o.where, text)->type_name("CONDITION")->check(refuse_empty);
}

void add_output(CLI::App& c, Options& o,
                const char* text =
                    "The file to write; - is the standard "
                    "output, the default") {
  c.add_option("-o,--output", o.output, text)->type_name("FILE");
  c.add_option("--format", o.format,
               "npy, npz, safetensors, raw or csv, if not as the file's name says")
      ->type_name("FORMAT");
  c.add_flag("--no-sync", o.no_sync, "Do not wait until the output is on the disk");
}

void add_json(CLI::App& c, Options& o) { c.add_flag("--json", o.json, "Print JSON"); }

void add_each(CLI::App& c, Options& o) {
  c.add_flag("--each", o.each,
             "Every file by itself, as x; files with a name go with each of them");
}

// ---- commands -----------------------------------------------------------------------------------

void define_select(CLI::App& c, Options& o) {
  add_files(c, o);
  add_where(c, o)->required();
  add_output(c, o);
}

void define_fill(CLI::App& c, Options& o) {
  add_files(c, o);
  add_where(c, o, "The condition; where it is true, the value is filled in")->required();
  c.add_option("--value", o.value, "What to fill in: a number, or an expression as in conditions")
      ->type_name("VALUE")
      ->check(refuse_empty)
      ->required();
  add_output(c, o);
}

void define_count(CLI::App& c, Options& o) {
  add_files(c, o);
  add_where(c, o, "The condition; true keeps (default: what is not zero)");
  add_each(c, o);
  c.add_option("--dim", o.dims, "Count along these dimensions; negative ones from the end")
      ->type_name("N")
      ->delimiter(',');
  add_json(c, o);
  add_output(c, o, "With --dim: a file for the counts");
}

void define_stats(CLI::App& c, Options& o) {
  add_files(c, o);
  add_where(c, o);
  add_each(c, o);
  c.add_option("--dim", o.dims, "Describe along these dimensions; negative ones from the end")
      ->type_name("N")
      ->delimiter(',');
  c.add_option("--quantiles", o.quantiles, "Which ones (default: 0.05,0.25,0.5,0.75,0.95)")
      ->type_name("P")
      ->delimiter(',');
  add_json(c, o);
}

void define_mask(CLI::App& c, Options& o) {
  add_files(c, o, /*required=*/false);
  add_where(c, o, "The condition; its values are the mask");
  c.add_option("--lengths", o.lengths,
               "A file of lengths: the mask is true at the first ones of "
               "each row")
      ->type_name("FILE");
  c.add_option("--max-len", o.max_len, "The length of rows (default: the largest length)")
      ->type_name("N");
  add_output(c, o);
}

void define_partition(CLI::App& c, Options& o) {
  add_files(c, o);
  add_where(c, o)->required();
  add_output(c, o, "The file for what is kept");
  c.add_option("--rejected", o.rejected, "The file for the rest")->type_name("FILE")->required();
}

void define_show(CLI::App& c, Options& o) {
  add_files(c, o);
  add_where(c, o);
  c.add_option("-o,--output", o.picture, "A PNG file for the picture; - is the standard output")
      ->type_name("FILE");
  c.add_flag("--values", o.values, "Colour what is kept by its values");
}

void define_head(CLI::App& c, Options& o) {
  add_files(c, o);
  add_where(c, o);
  c.add_option("-n,--lines", o.lines, "Lines to print (default: 10)")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber.description(""));
}

void define_convert(CLI::App& c, Options& o) {
  add_files(c, o);
  add_output(c, o);
  c.add_option("--columns", o.columns, "Names for the first line of a CSV file, as in a,b,c")
      ->type_name("NAMES")
      ->delimiter(',');
}

void define_info(CLI::App& c, Options& o) {
  add_files(c, o);
  add_json(c, o);
}

void define_help(CLI::App& c, Options& o) {
  c.add_option("command", o.command, "The command; without one, the list of commands")
      ->type_name("COMMAND");
}

void define_docs(CLI::App& c, Options& o) {
  c.add_flag("--man", o.man, "The man page");
  c.add_flag("!--markdown", o.man, "docs/command-line.md, the default")->excludes("--man");
}

void define_completions(CLI::App& c, Options& o) {
  c.add_option("shell", o.shell, "bash, zsh or fish")->type_name("SHELL")->required();
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"select", "Write the elements that a condition keeps",
       "Writes the elements of the first file for which the condition is true, 1-d, in row-major "
       "order.",
       define_select, run_select, select_examples()},
      {"fill", "Write an array with a value where a condition is true",
       "Writes the first file with another value where the condition is true. The value is a "
       "number that the dtype can\nhold, or an expression as in conditions, of which the elements "
       "are taken.",
       define_fill, run_fill, fill_examples()},
      {"count", "Count the elements that a condition keeps",
       "Prints how many elements are kept; without a condition, how many are true or not zero. "
       "With `--dim`, there is\n"
       "a count for every index of the other dimensions: one per line, or a line for each row; or "
       "a file of them. With\n"
       "`--each`, there is a line for every file.",
       define_count, run_count, count_examples()},
      {"stats", "Describe the elements that a condition keeps",
       "Prints count, sum, mean, standard deviation, extremes and quantiles of the kept elements "
       "of the first file. NaN\n"
       "is counted, and left out of all else; infinities are counted and belong to the others. "
       "Quantiles are exact and\n"
       "linear between neighbours, the standard deviation has n - 1 as divisor. With `--dim`, "
       "there is a line for every\n"
       "index of the other dimensions, with quantiles only if `--quantiles` names them; with "
       "`--each`, there is one for\n"
       "every file.",
       define_stats, run_stats, stats_examples()},
      {"mask", "Write the mask of a condition, or of lengths",
       "Writes a mask: a condition's values, or for a file of lengths rows that are true up to the "
       "length. The mask of a\n"
       "condition has the shape of the first file, broadcast with the others. Builders such as "
       "`causal(512)` make masks\n"
       "without any file.",
       define_mask, run_mask, mask_examples()},
      {"partition", "Write what a condition keeps and the rest to two files",
       "Writes the elements of the first file for which the condition is true to one file and the "
       "others to another, in\none pass.",
       define_partition, run_partition, partition_examples()},
      {"show", "Draw what a condition keeps",
       "Draws the condition's mask as a matrix, in the terminal and as a picture: columns are the "
       "last dimension, rows all\nothers. Each cell is a block of elements, coloured by the share "
       "that is kept, or with `--values` by the mean of the\nkept; what is rejected is grey. "
       "Counts are exact. Without a condition, a file of bools is the mask itself, and of\nother "
       "files the values are drawn.",
       define_show, run_show, show_examples()},
      {"head", "Print the first elements",
       "Prints the first lines of an array, with the elements of its last dimension on one line; "
       "with a condition, the\n"
       "first elements that it keeps, each after its index. Floats have all their digits.",
       define_head, run_head, head_examples()},
      {"convert", "Write a file in another format",
       "Writes the array of a file, or all of them where the format has names, to a file of "
       "another "
       "format. The elements\nkeep their dtype. A CSV file has a line for each row of a matrix or "
       "each element of a vector.",
       define_convert, run_convert, convert_examples()},
      {"info", "Say what is in a file",
       "Prints names, dtypes, shapes and sizes of the arrays in files. Only headers are read, but "
       "CSV files as a whole.\nA file that cannot be read does not keep the others from being "
       "described; the exit code tells.",
       define_info, run_info, info_examples()},
      {"completions",
       "Print completions for a shell",
       "Prints a script that lets a shell complete commands, options and files.",
       define_completions,
       run_completions,
       {{"In the running bash", "eval \"$(tamis completions bash)\"", ""}}},
      {"help",
       "Print help for a command",
       "Prints what `tamis COMMAND --help` prints.",
       define_help,
       run_help,
       {{"About one command", "tamis help count | head -n 1",
         "Count the elements that a condition keeps\n"}}},
      {"docs", "Print the manual", "", define_docs, run_docs, {}},
  };
  return table;
}

}  // namespace tamis::cli
