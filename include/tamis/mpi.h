// MPI: arrays whose rows are spread over the processes of a job. Header only, over the partial
// states; not included by tamis.h. The program links the MPI that it is compiled with.
#pragma once

// Open MPI and MPICH have C++ bindings that the standard has dropped.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tamis/create.h"
#include "tamis/iterate.h"
#include "tamis/partial.h"
#include "tamis/view.h"

/// In every function x and mask are this process's rows (the first dimension) of an array, in the
/// order of the ranks; a process may have none. All processes of comm call it together, with equal
/// options and dtypes, and all get the result: the same bits as from the whole array on one
/// machine, whatever the number of processes. An undefined mask keeps all.
///
///     MPI_Init(&argc, &argv);
///     Tensor own = ...;                                     // this process's rows
///     Tensor total = mpi::sum(own);
///     mpi::Selection large = mpi::select(own, own > 3);     // stays where it is
namespace tamis::mpi {

namespace detail {

inline void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ErrorKind::io, std::string(call) + ": " + std::string(text, text + length));
}

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}
inline int size_of(MPI_Comm comm) {
  int size = 0;
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  return size;
}

inline std::vector<int64_t> gather_number(int64_t own, MPI_Comm comm) {
  std::vector<int64_t> all(static_cast<size_t>(size_of(comm)));
  check(MPI_Allgather(&own, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, comm), "MPI_Allgather");
  return all;
}

/// Sends bytes from one process to all others, which have made room for them. MPI counts in ints,
/// so they go in pieces.
inline void broadcast(char* bytes, int64_t n, int root, MPI_Comm comm) {
  constexpr int64_t kPiece = int64_t{1} << 30;
  for (int64_t at = 0; at < n; at += kPiece) {
    check(MPI_Bcast(bytes + at, static_cast<int>(std::min(kPiece, n - at)), MPI_BYTE, root, comm),
          "MPI_Bcast");
  }
}

}  // namespace detail

/// The merged state of all processes.
template <class State>
State merge(const State& own, MPI_Comm comm = MPI_COMM_WORLD) {
  const std::string bytes = own.to_bytes();
  const std::vector<int64_t> sizes =
      detail::gather_number(static_cast<int64_t>(bytes.size()), comm);
  const int self = detail::rank_of(comm);
  // In the order of ranks everywhere, so that all processes see the same error, if there is one.
  std::vector<State> states;
  std::string received;
  for (int root = 0; root < static_cast<int>(sizes.size()); ++root) {
    const int64_t n = sizes[static_cast<size_t>(root)];
    received = root == self ? bytes : std::string(static_cast<size_t>(n), '\0');
    detail::broadcast(received.data(), n, root, comm);
    states.push_back(State::from_bytes(received));
    if (root > 0) {
      states[0].merge(states[1]);
      states.pop_back();
    }
  }
  return states[0];
}

/// Where the rows of this process lie in the whole array.
inline partial::Part place_of(const Tensor& x, MPI_Comm comm = MPI_COMM_WORLD) {
  if (x.dim() == 0) throw Error(ErrorKind::shape, "mpi: a tensor without dimensions has no rows");
  int64_t own = x.shape()[0], before = 0, all = 0;
  detail::check(MPI_Exscan(&own, &before, 1, MPI_INT64_T, MPI_SUM, comm), "MPI_Exscan");
  detail::check(MPI_Allreduce(&own, &all, 1, MPI_INT64_T, MPI_SUM, comm), "MPI_Allreduce");
  if (detail::rank_of(comm) == 0) before = 0;  // MPI leaves it undefined
  partial::Part part;
  part.shape = x.shape();
  part.shape[0] = all;
  part.offset = Shape(x.shape().size(), 0);
  part.offset[0] = before;
  return part;
}

/// How many elements are kept.
inline int64_t count(const Tensor& x, const Tensor& mask = {}, MPI_Comm comm = MPI_COMM_WORLD) {
  return merge(partial::Count(x, mask), comm).finish().item<int64_t>();
}

/// As sum with exact = true: 0-d.
inline Tensor sum(const Tensor& x, const Tensor& mask = {}, MPI_Comm comm = MPI_COMM_WORLD) {
  return merge(partial::Sum(x, mask), comm).finish();
}

/// Count, sum, mean, variance and standard deviation of what is kept.
inline partial::Moments moments(const Tensor& x, const Tensor& mask = {},
                                MPI_Comm comm = MPI_COMM_WORLD) {
  return merge(partial::Moments(x, mask), comm);
}

/// The extremes and their indices in the whole array.
inline partial::Extremes extremes(const Tensor& x, const Tensor& mask = {},
                                  MPI_Comm comm = MPI_COMM_WORLD) {
  return merge(partial::Extremes(x, mask, place_of(x, comm)), comm);
}

/// As quantile of all that is kept. A few passes over x.
inline Tensor quantile(const Tensor& x, const Tensor& q, const Tensor& mask = {},
                       const std::string& interpolation = "linear", bool ignore_nan = false,
                       MPI_Comm comm = MPI_COMM_WORLD) {
  partial::Search found =
      merge(partial::Histogram(x, mask), comm).quantile(q, interpolation, ignore_nan);
  while (!found.done()) found = merge(partial::Histogram(x, mask, found), comm).search();
  return found.finish();
}

/// As median of all that is kept.
inline Tensor median(const Tensor& x, const Tensor& mask = {}, bool ignore_nan = false,
                     MPI_Comm comm = MPI_COMM_WORLD) {
  partial::Search found = merge(partial::Histogram(x, mask), comm).median(ignore_nan);
  while (!found.done()) found = merge(partial::Histogram(x, mask, found), comm).search();
  return found.finish();
}

/// The elements that a mask keeps, each where it was: those of this process are numbers first to
/// first + own.numel() - 1 of all of them.
struct Selection {
  Tensor own;  ///< 1-d
  int64_t first = 0, total = 0;
};
inline Selection select(const Tensor& x, const Tensor& mask, MPI_Comm comm = MPI_COMM_WORLD) {
  Selection kept;
  kept.own = partial::Selected(x, mask).finish();
  int64_t n = kept.own.numel();
  detail::check(MPI_Exscan(&n, &kept.first, 1, MPI_INT64_T, MPI_SUM, comm), "MPI_Exscan");
  detail::check(MPI_Allreduce(&n, &kept.total, 1, MPI_INT64_T, MPI_SUM, comm), "MPI_Allreduce");
  if (detail::rank_of(comm) == 0) kept.first = 0;
  return kept;
}

/// All rows of all processes, in every process.
inline Tensor gather(const Tensor& own, MPI_Comm comm = MPI_COMM_WORLD) {
  const partial::Part place = place_of(own, comm);
  const std::vector<int64_t> rows = detail::gather_number(own.shape()[0], comm);
  const int self = detail::rank_of(comm);
  std::vector<Tensor> parts;
  for (int root = 0; root < static_cast<int>(rows.size()); ++root) {
    Shape shape = place.shape;
    shape[0] = rows[static_cast<size_t>(root)];
    Tensor part = root == self ? own.detach().contiguous().clone().settle()
                               : empty(shape, own.dtype()).settle();
    detail::broadcast(static_cast<char*>(part.mutable_data_ptr()),
                      part.numel() * static_cast<int64_t>(part.itemsize()), root, comm);
    parts.push_back(part);
  }
  return cat(parts).settle();
}

}  // namespace tamis::mpi
