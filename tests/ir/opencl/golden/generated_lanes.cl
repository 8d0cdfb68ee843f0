#pragma OPENCL FP_CONTRACT OFF
typedef long4 __attribute__((aligned(sizeof(long)))) unaligned_long4;

__kernel void generated_lanes(
    __global const long* restrict js,
    __global long* restrict result,
    int m)
{
    int item0 = (int)get_global_id(0);
    if (item0 < 2 * m) {
        const long4 t0 = as_long4(as_ulong4(((long4)((long)(8 * m - 4 * item0 - 1)) + (long4)(0L, (-1L), (-2L), (-3L)))) * as_ulong4((long4)(3L)));
        *(__global unaligned_long4*)(result + (4 * item0)) = as_long4(as_ulong4(t0) + as_ulong4(*(__global const unaligned_long4*)(js + (4 * item0))));
    }
}
