// The parts of a kernel table, declared once per instruction set.
#if defined(TAMIS_CPU_KERNEL_PARTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAMIS_CPU_KERNEL_PARTS_INL_H
#undef TAMIS_CPU_KERNEL_PARTS_INL_H
#else
#define TAMIS_CPU_KERNEL_PARTS_INL_H
#endif

#include "backend/cpu/kernels/isa_macros-inl.h"
#include "backend/cpu/kernels/kernels.h"

namespace tamis::cpu::HWY_NAMESPACE {

void fill_unary(Kernels& table);
void fill_binary(Kernels& table);
void fill_compare(Kernels& table);
void fill_cast(Kernels& table);
void fill_math(Kernels& table);
void fill_move(Kernels& table);
void fill_reduce(Kernels& table);
void fill_arg_reduce(Kernels& table);
void fill_random(Kernels& table);
void fill_softmax(Kernels& table);
void fill_complex(Kernels& table);

}  // namespace tamis::cpu::HWY_NAMESPACE

#endif
