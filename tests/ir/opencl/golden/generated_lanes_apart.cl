#pragma OPENCL FP_CONTRACT OFF
typedef int4 __attribute__((aligned(sizeof(int)))) unaligned_int4;

__kernel void generated_lanes_apart(
    __global int* restrict result,
    int m)
{
    int item0 = (int)get_global_id(0);
    if (item0 < 2 * m) {
        const int4 t0 = as_int4(as_uint4(((int4)(4 * m * (item0 % 2) + (item0 / 2)) + (int4)(m) * (int4)(0, 1, 2, 3))) + as_uint4((int4)(1)));
        *(__global unaligned_int4*)(result + (4 * item0)) = t0;
    }
}
