#pragma OPENCL FP_CONTRACT OFF
typedef float2 __attribute__((aligned(sizeof(float)))) unaligned_float2;

__kernel void grid(
    __global const float* restrict a,
    __global const float* restrict xs,
    __global float* restrict result,
    int n)
{
    int group0 = (int)get_group_id(0);
    if (group0 < (n / 32)) {
        int item0 = (int)get_local_id(0);
        *(__global unaligned_float2*)(result + (32 * group0 + 2 * item0)) = (*(__global const unaligned_float2*)(xs + (32 * group0 + 2 * item0)) * (float2)(a[0]));
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        for (int item1 = (int)get_local_id(0); item1 < (n % 32); item1 += (int)get_local_size(0)) {
            const float e0 = a[0];
            result[group1 * (n % 32) + item1 + 32 * (n / 32)] = (xs[group1 * (n % 32) + item1 + 32 * (n / 32)] * e0);
        }
    }
}
