// Writing arrays: what is written is read again, and a file appears whole or not at all.
#include "io/writer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/reader.h"
#include "support/io_files.h"

namespace tamis::io {
namespace {

using namespace tamis::testing;

class Writing : public ::testing::Test {
 protected:
  /// Runs f in a process of its own and returns its status.
  template <class F>
  static int in_child(F&& f) {
    const pid_t child = fork();
    if (child == 0) {
      f();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_ / "x.npy";
};

TEST_F(Writing, RoundTripsEveryDTypeAndShape) {
  for (int d = 0; d < kDTypeCount; ++d) {
    const auto dtype = static_cast<DType>(d);
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{7}, Shape{2, 0, 3}, Shape{3, 4, 5}}) {
      const Tensor x = (arange(0, numel(shape)).remainder(3)).to(dtype).view(shape);
      for (const char* ending : {".npy", ".npz", ".safetensors"}) {
        const bool has_not = (dtype == DType::bfloat16 && ending[1] == 'n') ||
                             (dtype == DType::complex128 && ending[1] == 's');
        const std::string path = folder_ / (std::string("x") + ending);
        if (has_not) {
          expect_error(ErrorKind::dtype, "does not support", [&] { save(path, x); });
          continue;
        }
        save(path, x);
        const Tensor y = load(path);
        EXPECT_EQ(y.dtype(), dtype) << path;
        EXPECT_EQ(y.shape(), shape) << path;
        EXPECT_TRUE(equal(x, y)) << name(dtype) << path;
        EXPECT_TRUE(equal(x, load_mapped(path))) << name(dtype) << path;
      }
    }
  }
}

TEST_F(Writing, WritesViewsAndExpressionsRowMajor) {
  const Tensor x = arange(0, 12).view({3, 4});
  save(path_, x.t());
  EXPECT_TRUE(equal(load(path_), x.t()));
  save(path_, x.to_float() * 2 + 1);
  EXPECT_TRUE(equal(load(path_), x.to_float() * 2 + 1));
  // Any nonzero byte is true in memory; in a file it is 1.
  uint8_t bytes[] = {0, 255, 2, 1};
  save(path_, from_blob(bytes, {4}, DType::boolean));
  EXPECT_EQ(get_file(path_).substr(128), std::string("\0\1\1\1", 4));
}

TEST_F(Writing, SeveralArraysKeepOrderAndNames) {
  const NamedTensors tensors = {{"w/2", tensor({1.5, 2.5})},
                                {"b", tensor({{1, 2}, {3, 4}})},
                                {"\xc3\xa9", tensor({true, false})}};
  for (const char* name : {"x.npz", "x.safetensors"}) {
    save_all(folder_ / name, tensors);
    const NamedTensors back = load_all(folder_ / name);
    ASSERT_EQ(back.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(back[i].first, tensors[i].first);
      EXPECT_TRUE(equal(back[i].second, tensors[i].second)) << name;
    }
    EXPECT_EQ(load(folder_ / name, "b").shape(), (Shape{2, 2}));
    save_all(folder_ / name, {});
    EXPECT_TRUE(load_all(folder_ / name).empty());
  }
}

TEST_F(Writing, SizesMayBecomeKnownAtTheEnd) {
  for (const Format format : {Format::npy, Format::npz, Format::safetensors}) {
    const std::string path = folder_ / (std::string("grown.") + name(format));
    for (const int64_t pieces : {0, 1, 1000}) {
      std::vector<ArrayPlan> plans = {{"a", DType::int32, {-1, 3}}};
      if (format != Format::npy) plans.push_back({"b", DType::boolean, {-1}});
      Writer writer(path, format, plans);
      for (int64_t i = 0; i < pieces; ++i) writer.append(full({6}, i, DType::int32));
      if (format != Format::npy) {
        writer.next();
        writer.append(tensor({true}));
      }
      writer.commit();
      const NamedTensors back = load_all(path);
      EXPECT_EQ(back[0].second.shape(), (Shape{2 * pieces, 3})) << path;
      EXPECT_EQ(back[0].second.sum().item<int64_t>(), 6 * pieces * (pieces - 1) / 2);
      if (format != Format::npy) {
        EXPECT_EQ(back[1].second.shape(), Shape{1});
      }
    }
  }
}

TEST_F(Writing, RefusesWhatDoesNotFitThePlan) {
  const auto refuse = [&](ErrorKind kind, const char* text, Format format,
                          std::vector<ArrayPlan> plans) {
    expect_error(kind, text, [&] { Writer(folder_ / "y", format, std::move(plans)); });
  };
  const ArrayPlan a = {"a", DType::int64, {2}};
  refuse(ErrorKind::value, "one array, not 2", Format::npy, {a, a});
  refuse(ErrorKind::value, "one array, not 0", Format::raw, {});
  refuse(ErrorKind::value, "two arrays have the name 'a'", Format::npz, {a, a});
  refuse(ErrorKind::value, "cannot be the name", Format::npz, {{"", DType::int64, {2}}});
  refuse(ErrorKind::value, "cannot be the name", Format::npz, {{"../a", DType::int64, {2}}});
  refuse(ErrorKind::value, "cannot be the name", Format::npz, {{"/a", DType::int64, {2}}});
  refuse(ErrorKind::value, "cannot be the name", Format::safetensors,
         {{"__metadata__", DType::int64, {2}}});
  refuse(ErrorKind::value, "cannot be the name", Format::safetensors,
         {{"\xff", DType::int64, {2}}});
  refuse(ErrorKind::shape, "cannot be written", Format::npy, {{"", DType::int64, {2, -1}}});
  refuse(ErrorKind::shape, "cannot be written", Format::npy,
         {{"", DType::int64, {int64_t{1} << 62}}});
  EXPECT_EQ(folder_.files(), 0u);

  Writer writer(path_, Format::npy, {a});
  expect_error(ErrorKind::dtype, "cannot take elements of float32",
               [&] { writer.append(tensor({1.5})); });
  expect_error(ErrorKind::shape, "no space for 3", [&] { writer.append(tensor({1, 2, 3})); });
  writer.append(tensor({1}));
  expect_error(ErrorKind::shape, "has 2 elements, not 1", [&] { writer.commit(); });
  expect_error(ErrorKind::value, "unknown file extension",
               [&] { save(folder_ / "x.txt", tensor({1})); });
  expect_error(ErrorKind::value, "cannot store names", [&] {
    save_all(path_, {{"a", tensor({1})}});
  });
}

TEST_F(Writing, LeavesNothingBehindUnlessCommitted) {
  save(path_, tensor({1, 2, 3}));
  const std::string old = get_file(path_);
  {
    Writer writer(path_, Format::npy, {{"", DType::int64, {5}}});
    writer.append(tensor({1}));
    EXPECT_EQ(folder_.files(), 2u);
  }
  EXPECT_EQ(folder_.files(), 1u);
  EXPECT_EQ(get_file(path_), old);
}

TEST_F(Writing, ReplacesFilesAndKeepsTheirPermissions) {
  put_file(path_, "old");
  chmod(path_.c_str(), 0640);
  const std::string link = folder_ / "link.npy";
  ASSERT_EQ(symlink(path_.c_str(), link.c_str()), 0);
  save(link, tensor({1, 2}));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(equal(load(path_), tensor({1, 2})));
  struct stat status;
  stat(path_.c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  EXPECT_EQ(folder_.files(), 2u);
  // A file may be written while it is read.
  const Tensor x = load_mapped(path_);
  save(path_, x + 1);
  EXPECT_TRUE(equal(load(path_), tensor({2, 3})));
}

TEST_F(Writing, NewFilesHaveThePermissionsOfTheUmask) {
  const mode_t old = umask(027);
  save(path_, tensor({1}));
  umask(old);
  struct stat status;
  stat(path_.c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_F(Writing, SaysWhyItCannot) {
  expect_error(ErrorKind::io, "No such file",
               [&] { save(folder_ / "nowhere/x.npy", tensor({1})); });
  expect_error(ErrorKind::io, "it is a directory", [&] {
    std::filesystem::create_directory(folder_ / "folder.npy");
    save(folder_ / "folder.npy", tensor({1}));
  });
}

TEST_F(Writing, LeavesProtectedFilesAlone) {
  if (geteuid() == 0) GTEST_SKIP() << "nothing is protected from root";
  put_file(path_, "old");
  chmod(path_.c_str(), 0444);
  expect_error(ErrorKind::io, "Permission denied", [&] { save(path_, tensor({1})); });
  EXPECT_EQ(get_file(path_), "old");
}

TEST_F(Writing, AFullDiskLeavesTheOldFile) {
  save(path_, tensor({1, 2, 3}));
  const std::string old = get_file(path_);
  const Tensor large = zeros({1 << 16}, DType::float64).settle();
  const int status = in_child([&] {
    // The system refuses to let files grow as a full disk would.
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      save(path_, large);
    } catch (const Error& e) {
      _exit(e.kind() == ErrorKind::io ? 42 : 43);
    }
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42) << status;
  EXPECT_EQ(get_file(path_), old);
  EXPECT_EQ(folder_.files(), 1u);
  expect_error(ErrorKind::io, "No space left", [&] {
    Writer writer("/dev/full", Format::npy, {{"", DType::float64, {1 << 16}}});
    writer.append(large);
    writer.commit();
  });
}

TEST_F(Writing, ASignalRemovesTheTemporaryFile) {
  save(path_, tensor({1, 2, 3}));
  const std::string old = get_file(path_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = in_child([&] {
      signal(number, SIG_DFL);
      remove_temporary_files_on_signals();
      Writer writer(path_, Format::npy, {{"", DType::int64, {-1}}});
      if (folder_.files() != 2) _exit(44);
      ::raise(number);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number) << status;
    EXPECT_EQ(get_file(path_), old);
    EXPECT_EQ(folder_.files(), 1u);
  }
  const int status = in_child([] {
    signal(SIGHUP, SIG_IGN);  // nohup
    remove_temporary_files_on_signals();
    ::raise(SIGHUP);
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(Writing, WritesToPipesAndToStandardOutput) {
  // Of a known and of an unknown size; the second one has to wait for its header.
  for (const int64_t size : {3, -1}) {
    const std::string target = folder_ / "out";
    const int status = in_child([&] {
      dup2(open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
      Writer writer("-", Format::npy, {{"", DType::int64, {size}}});
      writer.append(tensor({4, 5, 6}));
      writer.commit();
    });
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_TRUE(equal(load(target), tensor({4, 5, 6})));
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    Writer writer("/dev/fd/" + std::to_string(ends[1]), Format::npy, {{"", DType::int64, {size}}});
    writer.append(tensor({4, 5, 6}));
    writer.commit();
    close(ends[1]);
    Reader reader("/dev/fd/" + std::to_string(ends[0]));
    EXPECT_TRUE(equal(reader.read(0), tensor({4, 5, 6})));
    close(ends[0]);
  }
}

}  // namespace
}  // namespace tamis::io
