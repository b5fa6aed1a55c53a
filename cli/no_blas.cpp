// In place of OpenBLAS, which the command would load with the library and never call: it multiplies
// no matrices. OpenBLAS starts a thread per core as it is loaded; those spin for a while and keep
// ours off the cores, and its buffers take most of the address space that the command needs.
#include <cblas.h>

#include <cstdlib>

extern "C" {

int openblas_get_parallel() { std::abort(); }
char* openblas_get_corename() { std::abort(); }
void openblas_set_num_threads(int) { std::abort(); }

void cblas_sgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint, blasint, blasint, float,
                 const float*, blasint, const float*, blasint, float, float*, blasint) {
  std::abort();
}
void cblas_dgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint, blasint, blasint, double,
                 const double*, blasint, const double*, blasint, double, double*, blasint) {
  std::abort();
}
void cblas_cgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint, blasint, blasint,
                 const void*, const void*, blasint, const void*, blasint, const void*, void*,
                 blasint) {
  std::abort();
}
void cblas_zgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint, blasint, blasint,
                 const void*, const void*, blasint, const void*, blasint, const void*, void*,
                 blasint) {
  std::abort();
}

}  // extern "C"
