// Reading arrays whole, by windows and mapped, in all layouts; files that are cut while they are
// read.
#include "io/reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include "support/io_files.h"
#include "tamis/runtime.h"

namespace tamis::io {
namespace {

using namespace tamis::testing;

/// 0, 1, 2, ... as float64, in the order of a file in C or Fortran order.
std::string counting(const Shape& shape, bool fortran) {
  const int64_t n = numel(shape);
  std::vector<double> data(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    int64_t rest = i, at = i;
    if (fortran) {
      at = 0;
      for (size_t d = shape.size(), done = 0; d-- > 0; ++done) {
        int64_t stride = 1;
        for (size_t k = 0; k < d; ++k) stride *= shape[k];
        at += rest % shape[d] * stride;
        rest /= shape[d];
      }
    }
    data[static_cast<size_t>(at)] = static_cast<double>(i);
  }
  return {reinterpret_cast<const char*>(data.data()), data.size() * sizeof(double)};
}

/// Aligned as NumPy's files are, so that it can be mapped.
std::string npy_of(const Shape& shape, bool fortran) {
  std::string sizes = "(";
  for (const int64_t s : shape) sizes += std::to_string(s) + ",";
  std::string header = npy_header("<f8", sizes + ")", fortran ? "True" : "False");
  header.resize(128 - 10, ' ');
  return npy_file(header, counting(shape, fortran));
}

class Reading : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  const std::string path_ = folder_ / "x.npy";
};

TEST_F(Reading, GivesRowMajorElementsWhateverTheOrder) {
  for (const Shape& shape :
       {Shape{}, Shape{1}, Shape{5}, Shape{2, 3}, Shape{3, 1, 4}, Shape{0, 3}, Shape{300, 200},
        Shape{1500, 1300}, Shape{3, 20000, 3}, Shape{2, 3, 4, 5, 6}, Shape{2000, 2, 40}}) {
    for (const bool fortran : {false, true}) {
      SCOPED_TRACE(to_string(shape) + (fortran ? " fortran" : ""));
      put_file(path_, npy_of(shape, fortran));
      const Reader reader(path_);
      const Tensor expected = arange(0, numel(shape), 1, DType::float64);
      EXPECT_TRUE(equal(reader.read(0), expected.view(shape)));
      EXPECT_TRUE(equal(reader.map(0), expected.view(shape)));
      const int64_t n = numel(shape);
      EXPECT_TRUE(equal(reader.window(0, 0, n), expected));
      EXPECT_TRUE(equal(reader.window(0, n / 3, n / 2), expected.narrow(0, n / 3, n / 2)));
      reader.check_intact();
    }
  }
}

TEST_F(Reading, TurnsBytesAround) {
  put_file(path_, npy_file(npy_header(">i2", "(2,)"), std::string("\x01\x02\xff\xfe", 4)));
  EXPECT_EQ(Reader(path_).read(0).to_vector<int16_t>(), (std::vector<int16_t>{0x0102, -2}));
  EXPECT_EQ(Reader(path_).window(0, 1, 1).to_vector<int16_t>(), (std::vector<int16_t>{-2}));
  EXPECT_EQ(Reader(path_).map(0).to_vector<int16_t>(), (std::vector<int16_t>{0x0102, -2}));
  // A complex number is two numbers: 1 + 2i.
  put_file(path_, npy_file(npy_header(">c8", "()"), std::string("\x3f\x80\0\0\x40\0\0\0", 8)));
  EXPECT_EQ(Reader(path_).read(0).to_vector<std::complex<float>>(),
            (std::vector<std::complex<float>>{{1, 2}}));
}

TEST_F(Reading, TakesRawFilesByTheirLayout) {
  const std::string path = folder_ / "x.raw";
  put_file(path, std::string("\x01\0\x02\0\x03\0\x04\0\x05\0\x06\0", 12));
  const auto shape_of = [&](std::optional<Shape> shape, DType dtype = DType::int16) {
    return Reader(path, RawLayout{dtype, std::move(shape)}).arrays()[0].shape;
  };
  EXPECT_EQ(shape_of({}), Shape{6});
  EXPECT_EQ(shape_of(Shape{2, 3}), (Shape{2, 3}));
  EXPECT_EQ(shape_of(Shape{-1, 2}), (Shape{3, 2}));
  EXPECT_EQ(Reader(path, RawLayout{DType::int16, Shape{2, 3}}).read(0).to_vector<int16_t>(),
            (std::vector<int16_t>{1, 2, 3, 4, 5, 6}));
  const auto refuse = [&](std::optional<Shape> shape, DType dtype) {
    expect_error(ErrorKind::format, "bytes", [&] { shape_of(shape, dtype); });
  };
  refuse(Shape{2, 2}, DType::int16);
  refuse(Shape{-1, 4}, DType::int16);
  refuse(Shape{-1, -1}, DType::int16);
  refuse(Shape{-1, 0}, DType::int16);
  refuse(Shape{-2}, DType::int16);
  refuse({}, DType::float64);
  refuse(Shape{-1, INT64_MAX, 8}, DType::int16);
}

TEST_F(Reading, NamesFilesThatItCannotUse) {
  expect_error(ErrorKind::io, "nowhere.npy: cannot open for reading: No such file",
               [&] { Reader reader(folder_ / "nowhere.npy"); });
  expect_error(ErrorKind::io, "it is a directory", [&] { Reader reader(folder_ / "."); });
  put_file(path_, "");
  expect_error(ErrorKind::format, "the file is empty", [&] { Reader reader(path_); });
  put_file(path_, "hello, this is text");
  expect_error(ErrorKind::format, "not a .npy", [&] { Reader reader(path_); });
  put_file(path_, npy_file(npy_header("<f16", "(1,)"), "1234567890123456"));
  expect_error(ErrorKind::dtype, "'<f16' is not supported; convert to float64 first",
               [&] { Reader(path_).read(0); });
}

TEST_F(Reading, ChoosesArraysByName) {
  save_all(folder_ / "x.npz", {{"a", tensor({1, 2})}, {"b", tensor({3.5})}});
  const Reader reader(folder_ / "x.npz");
  EXPECT_EQ(reader.format(), Format::npz);
  EXPECT_EQ(reader.find("b"), 1u);
  EXPECT_EQ(reader.read(1).item<float>(), 3.5f);
  expect_error(ErrorKind::value, "no array named 'c'; available: a, b", [&] { reader.find("c"); });
  expect_error(ErrorKind::value, "the file has 2 arrays; choose one of: a, b",
               [&] { reader.only(); });
  expect_error(ErrorKind::index, "do not lie within", [&] { reader.window(0, 1, 2); });
  expect_error(ErrorKind::index, "do not lie within", [&] { reader.window(0, -1, 1); });
  expect_error(ErrorKind::index, "do not lie within", [&] { reader.window(0, INT64_MAX, 1); });
}

TEST_F(Reading, MapsForReadingOnly) {
  put_file(path_, npy_of({300, 400}, false));
  const Tensor x = load_mapped(path_);
  EXPECT_EQ(x.sum().item<double>(), 120000.0 * 119999.0 / 2);
  EXPECT_THROW(Tensor(x).add_(1), Error);
  EXPECT_THROW(x.mutable_data_ptr(), Error);
}

TEST_F(Reading, WindowsOutliveTheReader) {
  put_file(path_, npy_of({100000}, false));
  const Tensor x = std::make_unique<Reader>(path_)->window(0, 0, 100000);
  std::filesystem::remove(path_);
  EXPECT_EQ(x.sum().item<double>(), 100000.0 * 99999.0 / 2);
}

TEST_F(Reading, ByManyThreadsAtOnce) {
  put_file(path_, npy_of({1000, 500}, true));
  const Reader reader(path_);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Tensor x = reader.window(0, t * 125000, 125000);
      right += equal(x, arange(t * 125000, (t + 1) * 125000, 1, DType::float64));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 4);
}

TEST_F(Reading, NoticesThatTheFileWasCut) {
  put_file(path_, npy_of({1000000}, false));
  const Reader reader(path_);
  const Tensor before = reader.window(0, 0, 1000000);
  EXPECT_EQ(before.narrow(0, 0, 10).sum().item<double>(), 45);
  reader.check_intact();
  std::filesystem::resize_file(path_, 4096);
  // Zeros instead of a crash, and an error for whoever asks.
  EXPECT_EQ(before.narrow(0, 500000, 500000).sum().item<double>(), 0);
  expect_error(ErrorKind::io, "was truncated", [&] { reader.check_intact(); });
  expect_error(ErrorKind::io, "was truncated", [&] { reader.window(0, 0, 1000000); });
  expect_error(ErrorKind::io, "was truncated", [&] { reader.window(0, 999990, 10); });
  expect_error(ErrorKind::io, "was truncated", [&] { reader.read(0); });
  // Growing again does not make the zeros true.
  std::filesystem::resize_file(path_, 9000000);
  expect_error(ErrorKind::io, "could not be read", [&] { reader.check_intact(); });
}

/// Whatever reads the tensor: as an operand, through its address, by way of what was deferred.
TEST_F(Reading, OfAMappedTensorThrowsOnceItsFileWasCut) {
  // The second file is cut within its last page, where reading causes no signal.
  for (const int64_t n : {1000000, 100}) {
    put_file(path_, npy_of({n}, false));
    const Tensor x = load_mapped(path_), view = x.narrow(0, n - 10, 10), twice = x * 2;
    EXPECT_EQ(x.sum().item<double>(), n * (n - 1) / 2.0);
    std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 16);
    const auto refused = [](const auto& read) {
      expect_error(ErrorKind::io, "was truncated", read);
    };
    refused([&] { x.sum(); });
    refused([&] { x.data_ptr(); });
    refused([&] { view.to_string(); });
    if (!eager_mode()) refused([&] { twice.settle(); });
    refused([&] { x[x > 5].get(); });
    Tensor target = zeros({n}, DType::float64);
    refused([&] { target.copy_(x); });
    EXPECT_EQ(target.sum().item<double>(), 0);
  }
}

TEST_F(Reading, OfAMappedTensorThatIsUnderWayIsNoted) {
  put_file(path_, npy_of({1000000}, false));
  const Tensor x = load_mapped(path_);
  const MappedReads outer;
  {
    const MappedReads reads;
    EXPECT_EQ(x.narrow(0, 0, 3).sum().item<double>(), 3);
    reads.check();
    std::filesystem::resize_file(path_, 4096);
    expect_error(ErrorKind::io, "was truncated", [&] { reads.check(); });
  }
  outer.check();  // it began no read itself
}

TEST_F(Reading, LeavesOtherBusErrorsAlone) {
  put_file(path_, npy_of({1000000}, false));
  const Tensor ours = load_mapped(path_);
  const pid_t child = fork();
  if (child == 0) {
    const int fd = open(path_.c_str(), O_RDONLY);
    const char* foreign = static_cast<char*>(mmap(nullptr, 8192, PROT_READ, MAP_PRIVATE, fd, 0));
    std::filesystem::resize_file(path_, 0);
    _exit(foreign[4096]);
  }
  int status = 0;
  waitpid(child, &status, 0);
  // Zeros would have been 0; the signal or, with a sanitizer, its report are not.
  EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(Reading, TakesAPipe) {
  const std::string content = npy_of({100000}, false);
  const std::string fifo = folder_ / "pipe";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::thread writer([&] { put_file(fifo, content); });
  const Reader reader(fifo);
  writer.join();
  EXPECT_EQ(reader.window(0, 99999, 1).item<double>(), 99999);
  EXPECT_EQ(reader.read(0).sum().item<double>(), 100000.0 * 99999.0 / 2);
}

TEST_F(Reading, ReadsFilesLargerThanTheAddressSpace) {
  // 2 GiB that are mostly a hole; the last element is 7.
  const int64_t n = int64_t{1} << 28;
  std::string header = npy_header("<f8", "(" + std::to_string(n) + ",)");
  header.resize(128 - 10, ' ');
  put_file(path_, npy_file(header, ""));
  std::filesystem::resize_file(path_, 128 + static_cast<uint64_t>(n) * 8);
  {
    std::fstream out(path_, std::ios::binary | std::ios::in | std::ios::out);
    const double seven = 7;
    out.seekp(-8, std::ios::end).write(reinterpret_cast<const char*>(&seven), 8);
  }
  const auto read_bounded = [&] {
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (512u << 20);
    const rlimit limit = {most, most};
    setrlimit(RLIMIT_AS, &limit);
    const Reader reader(path_);
    double sum = 0;
    const int64_t window = 1 << 20;
    for (int64_t first = 0; first < n; first += window) {
      sum += reader.window(0, first, window)[window - 1].item<double>();
      reader.check_intact();
    }
    return sum == 7 ? 0 : 1;
  };
  const pid_t child = fork();
  if (child == 0) {
    set_num_threads(1);  // those of the pool are not in this process
    _exit(read_bounded());
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace tamis::io
