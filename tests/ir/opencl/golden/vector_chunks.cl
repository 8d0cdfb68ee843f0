#pragma OPENCL FP_CONTRACT OFF
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void vector_chunks(
    __global const float* restrict xs,
    __global const float* restrict ys,
    __global float* restrict result,
    int n)
{
    int group0 = (int)get_group_id(0);
    for (int i0 = 0; i0 < (n / 16); ++i0) {
        const float4 t0 = ((*(__global const unaligned_float4*)(xs + (4 * group0 * (n / 16) + 4 * i0)) * (float4)(3.0f)) + *(__global const unaligned_float4*)(ys + (4 * group0 * (n / 16) + 4 * i0)));
        *(__global unaligned_float4*)(result + (4 * group0 * (n / 16) + 4 * i0)) = t0;
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        for (int i1 = 0; i1 < (n % 16); ++i1) {
            result[group1 * (n % 16) + i1 + 16 * (n / 16)] = ((xs[group1 * (n % 16) + i1 + 16 * (n / 16)] * 3.0f) + ys[group1 * (n % 16) + i1 + 16 * (n / 16)]);
        }
    }
}
