"""Turns the runnable C++ snippets of a Markdown file into a program and the text that it must print.

    docs_test.py DOCUMENT.md PROGRAM.cpp EXPECTED.txt

A snippet is runnable if it is a ```cpp block with a line `// prints: text` or `// throws: text`. The lines
that go on with a printed text are aligned below it:

    std::cout << x << "\\n";
    // prints: tensor([[1, 2],
    //                 [3, 4]])

`// throws:` stands below the statement that throws tamis::Error with that text. A snippet is the body of a
function, or a whole program with `int main() {`. Each one stands for itself.
"""

import pathlib
import re
import sys

PRINTS = "// prints: "
THROWS = "// throws: "
CONTINUED = "//" + " " * (len(PRINTS) - 2)

CATCH = r"""std::cout << "no error\n"; } catch (const Error& e) { std::cout << e.what() << "\n"; }"""

HEADER = """// Made by tests/docs_test.py from {name}.
#include <tamis/tamis.h>

#include <cmath>
#include <iostream>
{includes}
using namespace tamis;
"""


def blocks(text):
    """(line number, lines) of each ```cpp block."""
    found, lines = [], text.splitlines()
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and line.startswith("```"):
            start = number
        elif start is not None and line == "```":
            if lines[start - 1] == "```cpp":
                found.append((start + 1, lines[start : number - 1]))
            start = None
    if start is not None:
        sys.exit(f"docs: the block that opens in line {start} is never closed")
    return found


def expected_output(lines):
    """What a snippet says that it prints, or [] if it says nothing."""
    output, going_on = [], False
    for line in lines:
        text = line.strip()
        if text.startswith((PRINTS, THROWS)):
            output.append(text[len(PRINTS) :])
        elif going_on and text.startswith(CONTINUED):
            output.append(text[len(CONTINUED) :])
        else:
            going_on = False
            continue
        going_on = True
    return output


def catch_errors(lines):
    """The lines, as many as before, with each statement above a `// throws:` put into a try block."""
    result = []
    for line in lines:
        if line.strip().startswith(THROWS):
            first = len(result) - 1
            while first > 0 and not re.search(r"[;{}]\s*(//.*)?$|^\s*(//.*)?$", result[first - 1]):
                first -= 1
            result[first] = "try { " + result[first]
            line = CATCH
        result.append(line)
    return result


def program(name, text):
    """The program made from a document, and what it must print."""
    includes, functions, calls, output = set(), [], [], []
    for number, lines in blocks(text):
        printed = expected_output(lines)
        if not printed:
            continue
        includes.update(line for line in lines if line.startswith("#include <"))
        body = catch_errors(["" if line.startswith("#include <") else line for line in lines])
        body.insert(0, f'#line {number} "{name}"')
        if "int main() {" in body:
            body[body.index("int main() {")] = "void run() {"
        else:
            body = ["void run() {", *body, "}"]
        functions += ["", f"namespace line_{number} {{", *body, "}"]
        calls.append(f'  std::cout << "{name}:{number}\\n";')
        calls.append(f"  line_{number}::run();")
        output += [f"{name}:{number}", *printed]
    header = HEADER.format(name=name, includes="\n".join(sorted(includes)))
    source = [header, *functions, "", "int main() {", *calls, "}", ""]
    return "\n".join(source), "".join(line + "\n" for line in output)


def self_test():
    """A small document, so that a mistake above cannot pass for agreement."""
    document = (
        "```cpp\nint a = 1;  // one\ncall(a,\n     a);\n// throws: no\n// remark\n```\n"
        "```sh\n// prints: not C++\n```\n```cpp\nunmarked();\n```\n"
        '```cpp\n#include <map>\nint main() {\n  std::cout << "a\\n b";\n  // prints: a\n'
        "  //          b\n}\n```\n"
    )
    source, output = program("x.md", document)
    parts = [
        "#include <map>\n",
        "int a = 1;  // one\ntry { call(a,\n     a);\n" + CATCH,
        "void run() {\n  std::cout",
        "line_2::run();",
    ]
    missing = [part for part in parts if part not in source]
    if missing or "unmarked" in source or output != "x.md:2\nno\nx.md:15\na\n b\n":
        sys.exit(f"docs: the extraction itself is broken: {missing} {output!r}\n{source}")


def main():
    self_test()
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    document, source, expected = map(pathlib.Path, sys.argv[1:])
    code, output = program(document.name, document.read_text(encoding="utf-8"))
    if not output:
        sys.exit(f"docs: {document.name} has no runnable snippet")
    source.write_text(code, encoding="utf-8")
    expected.write_text(output, encoding="utf-8")


if __name__ == "__main__":
    main()
