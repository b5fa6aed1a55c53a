// Selecting and reducing an array whose rows are spread over the processes of a job:
//
//     mpirun -n 4 mpi_select
//
// Whatever the number of processes, it prints the same, and checks that it is what one process
// would have found in the whole array.
#include <tamis/mpi.h>
#include <tamis/tamis.h>

#include <cstdio>
#include <cstring>
#include <string>

using namespace tamis;

namespace {

/// The rows of this process: unequal shares, and none for the last of four.
Tensor share_of(const Tensor& whole) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int64_t rows = whole.shape()[0];
  const auto end_of = [&](int r) {
    if (r + 1 >= size) return rows;
    return size == 4 && r == 2 ? rows : rows * (r + 1) * (r + 1) / (size * size);
  };
  const int64_t start = rank == 0 ? 0 : end_of(rank - 1);
  return whole.narrow(0, start, end_of(rank) - start);
}

bool same_bits(const Tensor& a, const Tensor& b) {
  const Tensor x = a.contiguous(), y = b.contiguous();
  return x.dtype() == y.dtype() && x.shape() == y.shape() &&
         std::memcmp(x.data_ptr(), y.data_ptr(), static_cast<size_t>(x.numel()) * x.itemsize()) ==
             0;
}

/// A check of all bits of a tensor that is too long to print.
uint64_t digest(const Tensor& x) {
  const Tensor flat = x.contiguous();
  const auto* bytes = static_cast<const unsigned char*>(flat.data_ptr());
  uint64_t h = 14695981039346656037u;
  for (size_t i = 0; i < static_cast<size_t>(flat.numel()) * flat.itemsize(); ++i) {
    h = (h ^ bytes[i]) * 1099511628211u;
  }
  return h;
}

void run() {
  manual_seed(7);
  // Every process could read its own rows from a file instead.
  const Tensor whole = randn({1000, 37}, float64).exp().mul(randn({1000, 37}, float64));
  const Tensor own = share_of(whole), mask = own > 0.5;
  const Tensor q = tensor({0.01, 0.5, 0.999}, float64);

  const int64_t count = mpi::count(own, mask);
  const Tensor sum = mpi::sum(own, mask), median = mpi::median(own),
               quantiles = mpi::quantile(own, q, mask);
  const partial::Moments moments = mpi::moments(own);
  const partial::Extremes extremes = mpi::extremes(own);
  const mpi::Selection kept = mpi::select(own, mask);
  const Tensor selected = mpi::gather(kept.own);

  const Tensor all = masked_select(whole, whole > 0.5);
  const bool same = count == all.numel() && same_bits(sum, all.sum({}, false, {}, true)) &&
                    same_bits(median, whole.median()) && same_bits(quantiles, all.quantile(q)) &&
                    same_bits(moments.std(), whole.std({}, 1, false, true)) &&
                    same_bits(extremes.argmax(), whole.argmax()) && kept.total == all.numel() &&
                    same_bits(selected, all);
  int rank = 0, agreed = 0, here = same;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&here, &agreed, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank != 0) return;
  std::printf("kept %lld of %lld\n", static_cast<long long>(count),
              static_cast<long long>(whole.numel()));
  std::printf("sum %a, median %a, std %a\n", sum.item<double>(), median.item<double>(),
              moments.std().item<double>());
  std::printf("quantiles %s\n", quantiles.to_string().c_str());
  std::printf("the largest is element %lld\n",
              static_cast<long long>(extremes.argmax().item<int64_t>()));
  std::printf("bits of the selection %016llx\n", static_cast<unsigned long long>(digest(selected)));
  std::printf("as in one process: %s\n", agreed ? "yes" : "no");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    run();
  } catch (const Error& e) {
    std::fprintf(stderr, "mpi_select: %s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
