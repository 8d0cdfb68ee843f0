"""C functions for the primitives that take more than an operator, one for each element type.

T stands for the type's name, UT for that of the unsigned type as wide, WIDE for an unsigned one of 32 bits at least,
BITS for the bits of one element.
"""

from __future__ import annotations

__all__ = [
    "ADD_LOCAL", "COPIES_AHEAD", "DEVICE_FENCE", "FLOOR_SIZES", "FUSED", "GATHERED", "GATHERED_HALVES", "HELPERS_FLOAT",
    "HELPERS_INTEGER", "LANE_UP", "LIMITED", "MMA", "PREFETCH", "TO_ULONG", "TO_ULONG_VECTOR", "VECTORS_FLOAT",
    "VECTORS_INTEGER", "VECTORS_SIGNED",
]  # fmt: skip

# Of numbers and of vectors. PoCL 3.0 calls a function for `fma` where its own functions are compiled for a feature that
# the processor lacks (protection keys, which virtual machines hide): products took six times as long. Where there is an
# instruction, the compiler makes it of this.
FUSED = {
    "fma": """#if defined(__FMA__)
T fma_T(T a, T b, T c) {
#pragma OPENCL FP_CONTRACT ON
    return a * b + c;
}
#else
#define fma_T(a, b, c) fma(a, b, c)
#endif""",
}
HELPERS_FLOAT = FUSED | {
    "exponent": "int exponent_T(T a) { return a == 0 || !isfinite(a) ? 0 : ilogb(a) + 1; }",
    # for float: see VECTORS_FLOAT
    "tanh": "T tanh_T(T a) { return fabs(a) > 9.5f ? copysign((T)1, a) : tanh(a); }",
}
HELPERS_INTEGER = {
    # without branches, which data make unpredictable
    "floor_divide": """T floor_divide_T(T a, T b) {
    T d = (b == 0) | NEGATIVE_ONE(b) ? 1 : b, q = a / d;
    q = (T)(q - ((a % d != 0) & ((a ^ d) < 0)));
    return NEGATIVE_ONE(b) ? (T)(0 - (UT)a) : b == 0 ? 0 : q;
}""",
    "remainder": """T remainder_T(T a, T b) {
    T d = (b == 0) | NEGATIVE_ONE(b) ? 1 : b, m = a % d;
    return (T)(m + ((m != 0) & ((m ^ d) < 0) ? d : 0));
}""",
    "abs": "T abs_T(T a) { return a < 0 ? (T)(0 - (UT)a) : a; }",
    "sign": "T sign_T(T a) { return (T)((a > 0) - (a < 0)); }",
    "pow": """T pow_T(T a, T b) {
    WIDE result = 1, base = (UT)a;
    for (UT n = b < 0 ? 0 : (UT)b; n != 0; n >>= 1) {
        if (n & 1) result *= base;
        base *= base;
    }
    return (T)(b < 0 ? (a == 1 ? 1 : (NEGATIVE_ONE(a) ? ((b & 1) ? -1 : 1) : 0)) : result);
}""",
    "left_shift": "T left_shift_T(T a, T b) { return (UT)b < BITS ? (T)((WIDE)(UT)a << b) : 0; }",
    "right_shift": "T right_shift_T(T a, T b) { return (T)((UT)b < BITS ? a >> b : a < 0 ? -1 : 0); }",
    "gcd": """T gcd_T(T a, T b) {
    UT x = a < 0 ? (UT)(0 - (UT)a) : (UT)a, y = b < 0 ? (UT)(0 - (UT)b) : (UT)b;
    while (y != 0) {
        UT rest = x % y;
        x = y;
        y = rest;
    }
    return (T)x;
}""",
}
VECTORS_SIGNED = {"abs": "T abs_T(T a) { return a < (T)(0) ? as_T(-as_UT(a)) : a; }"}
VECTORS_INTEGER = {
    "left_shift": "T left_shift_T(T a, T b) { return as_UT(b) < (UT)(BITS) ? a << b : (T)(0); }",
    # a shift by all bits but one leaves the sign
    "right_shift": "T right_shift_T(T a, T b) { return as_UT(b) < (UT)(BITS) ? a >> b : SIGN; }",
}
# PoCL 3.0 reduces the arguments of a whole vector by the method for large ones where one is above 39,000, which is
# wrong for those below 2**-7: sin of 1e-20 beside 1e10 gave 0.0115. There, the first terms of the series are exact.
VECTORS_FLOAT = {
    "tan": """T tan_T(T x) {
    T s = x * x;
    return fabs(x) < (T)(0x1p-7f) ? x * (1.0f + s * (0x1.555556p-2f + s * 0x1.111112p-3f)) : tan(x);
}""",
    # PoCL 3.0 stops at the number below 1, also for infinity; 1 is nearest from 9.011 on
    "tanh": "T tanh_T(T a) { return fabs(a) > (T)(9.5f) ? copysign((T)(1.0f), a) : tanh(a); }",
}

# NVIDIA's compiler (driver 580, sm_90) makes one instruction of two minima or maxima of integers of 16 or 32 bits, and
# loses signs where an operand is negated: max(max(-a, -b), -c) of -1, 2 and 5 gives 2. It does not see that a
# complement and one more is a negation if the complement is an instruction of its own.
OPAQUE = {
    "bitwise_invert": """#if defined(__NV_CL_C_VERSION)
T bitwise_invert_T(T a) { int b; asm("not.b32 %0, %1;" : "=r"(b) : "r"((int)a)); return (T)b; }
#else
#define bitwise_invert_T(a) ((T)(~(a)))
#endif""",
    "negative": """#if defined(__NV_CL_C_VERSION)
#define negative_T(a) ((T)((uint)bitwise_invert_T(a) + 1u))
#else
#define negative_T(a) ((T)(-(WIDE)(a)))
#endif""",
}
OPAQUE_VECTORS = {
    "bitwise_invert": """#if defined(__NV_CL_C_VERSION)
T bitwise_invert_T(T a) { return (T)(LANES); }
#else
#define bitwise_invert_T(a) (~(a))
#endif""",
    "negative": """#if defined(__NV_CL_C_VERSION)
#define negative_T(a) as_T(as_UT(bitwise_invert_T(a)) + (UT)(1))
#else
#define negative_T(a) as_T(-as_UT(a))
#endif""",
}

# As x86 does it: numbers from 2**63 on are converted without that bit, all others as signed ones.
TO_ULONG = """ulong ulong_of_T(T x) {
    return x >= 0x1p63f ? (ulong)(long)(x - 0x1p63f) ^ 0x8000000000000000UL : (ulong)(long)x;
}"""
TO_ULONG_VECTOR = """ulongWIDTH ulong_of_T(T x) {
    ulongWIDTH high = as_ulongWIDTH(convert_longWIDTH(x - (T)(0x1p63f))) ^ 0x8000000000000000UL;
    return convert_longWIDTH(x >= (T)(0x1p63f)) ? high : as_ulongWIDTH(convert_longWIDTH(x));
}"""
FLOOR_SIZES = """INDEX floor_div(INDEX a, INDEX b) {
    INDEX q = a / b;
    return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}"""

# OpenCL's `clamp` is a call where PoCL's functions are made for a feature that the processor lacks: all vectors then go
# through memory at each index that is read.
LIMITED = "INTEGER limited_INTEGER(INTEGER i, INTEGER last) { return i < 0 ? 0 : i > last ? last : i; }"

# A vector of elements whose places come from data. LLVM makes one instruction of a loop over as many elements as a
# register of 256 bits holds, and none of a literal, whose elements it puts together one by one: forces on particles, of
# 128 neighbours in caches each, took 4.2 milliseconds of processor time so, and take 2.6. Processors without AVX-512 do
# not have this instruction, or have a slow one.
GATHERED = """#if defined(__AVX512VL__)
T gather_T(__global const E *p, INDICES at) {
    union { INDICES v; INDEX s[LANES]; } from;
    union { T v; E s[LANES]; } to;
    from.v = at;
    for (int k = 0; k < LANES; ++k) to.s[k] = p[from.s[k]];
    return to.v;
}
#define gathered_T(p, PLACES) gather_T(p, (INDICES)(OFFSETS))
#else
#define gathered_T(p, PLACES) ((T)(PLACES))
#endif"""
GATHERED_HALVES = """#if defined(__AVX512VL__)
T gather_T(__global const E *p, INDICES at) { return (T)(gather_HALF(p, at.lo), gather_HALF(p, at.hi)); }
#define gathered_T(p, PLACES) gather_T(p, (INDICES)(OFFSETS))
#else
#define gathered_T(p, PLACES) ((T)(PLACES))
#endif"""

# OpenCL's own `prefetch` does nothing in PoCL; the compiler's builtin wants a pointer to no address space.
PREFETCH = """#if defined(__x86_64__) || defined(__aarch64__)
#define PREFETCH_READ(p) __builtin_prefetch((const void *)(size_t)(p), 0)
#define PREFETCH_WRITE(p) __builtin_prefetch((const void *)(size_t)(p), 1)
#else
#define PREFETCH_READ(p) prefetch(p, 1)
#define PREFETCH_WRITE(p) prefetch(p, 1)
#endif"""

# Orders a work-item's accesses to global memory for all work-groups. OpenCL C 1.2 has no name for it (its `mem_fence`
# need not), and NVIDIA's compiler none of a later version's. Simulators, which know no such thing, take work-groups one
# after the other.
DEVICE_FENCE = """#if defined(__NV_CL_C_VERSION) || defined(__NVPTX__)
#define DEVICE_FENCE() asm volatile("membar.gl;" : : : "memory")
#elif defined(__x86_64__) || defined(__aarch64__)
#define DEVICE_FENCE() __atomic_thread_fence(__ATOMIC_ACQ_REL)
#else
#define DEVICE_FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif"""

# Copies from global to local memory that go on while work-items compute: all that were begun before an END are waited
# for together, but for the last n of these groups. PTX ISA, `cp.async`; devices of compute capability 8.0 and later.
COPIES_AHEAD = """#if defined(__NV_CL_C_VERSION)
#define COPY_AHEAD(kind, to, from, bytes) \\
    asm volatile("cp.async." kind ".shared.global [%0], [%1], " bytes ";" \\
        : : "r"((uint)(size_t)(to)), "l"(from) : "memory")
#define COPY_AHEAD_4(to, from) COPY_AHEAD("ca", to, from, "4")
#define COPY_AHEAD_8(to, from) COPY_AHEAD("ca", to, from, "8")
#define COPY_AHEAD_16(to, from) COPY_AHEAD("cg", to, from, "16")
#define COPIES_AHEAD_END() asm volatile("cp.async.commit_group;" : : : "memory")
#define COPIES_AHEAD_WAIT(n) asm volatile("cp.async.wait_group %0;" : : "n"(n) : "memory")
#else
#define COPY_AHEAD_4(to, from) *(to) = *(from)
#define COPY_AHEAD_8(to, from) *(to) = *(from)
#define COPY_AHEAD_16(to, from) *(to) = *(from)
#define COPIES_AHEAD_END()
#define COPIES_AHEAD_WAIT(n)
#endif"""

# A warp multiplies 16 x 8 by 8 x 8 elements. PTX ISA, `mma.sync`; devices of compute capability 8.0 and later.
MMA = """#define MMA(c0, c1, c2, c3, a0, a1, a2, a3, b0, b1) \\
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, " \\
        "{%0, %1, %2, %3};" : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(as_uint(a0)), "r"(as_uint(a1)), \\
        "r"(as_uint(a2)), "r"(as_uint(a3)), "r"(as_uint(b0)), "r"(as_uint(b1)))"""

# What the lane so many before this one holds, of 4 or 8 bytes; anything where there is none. PTX ISA, `shfl.sync`;
# elsewhere through local memory, past two barriers, which all work-items of the group come to.
LANE_UP = """#if defined(__NV_CL_C_VERSION)
#define LANE_UP_4(to, from, distance, kept) \\
    asm volatile("shfl.sync.up.b32 %0, %1, " #distance ", 0, 0xffffffff;" : "=r"(to) : "r"(from))
#define LANE_UP_8(to, from, distance, kept) \\
    asm volatile("{.reg .b32 lo, hi; mov.b64 {lo, hi}, %1; shfl.sync.up.b32 lo, lo, " #distance ", 0, 0xffffffff; " \\
        "shfl.sync.up.b32 hi, hi, " #distance ", 0, 0xffffffff; mov.b64 %0, {lo, hi};}" : "=l"(to) : "l"(from))
#else
#define LANE_UP_4(to, from, distance, kept) \\
    kept[get_local_id(0)] = from; \\
    barrier(CLK_LOCAL_MEM_FENCE); \\
    to = kept[get_local_id(0) < distance ? 0 : get_local_id(0) - distance]; \\
    barrier(CLK_LOCAL_MEM_FENCE)
#define LANE_UP_8 LANE_UP_4
#endif"""

# A number added to one in local memory, whichever work-items do so at the same time; of 8 bytes in halves, the upper
# one by what the lower one carries over. OpenCL C 1.2 has no atomic operations on 64 bits.
ADD_LOCAL = """void add_local_4(volatile __local uint *p, uint v) { atomic_add(p, v); }
void add_local_8(volatile __local uint *p, ulong v) {
    const uint low = (uint)v, before = atomic_add(p, low), high = (uint)(v >> 32) + (before + low < before);
    if (high != 0) atomic_add(p + 1, high);
}"""
