#pragma OPENCL FP_CONTRACT OFF
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void figure_9c_0(
    __global const float* restrict v256,
    __global float* restrict stage0)
{
    int group0 = (int)get_group_id(0);
    float4 acc0 = (float4)(0.0f);
    for (int i0 = 0; i0 < 8; ++i0) {
        acc0 = (acc0 + fabs(*(__global const unaligned_float4*)(v256 + (32 * group0 + 4 * i0))));
    }
    *(__global unaligned_float4*)(stage0 + (4 * group0)) = acc0;
}

__kernel void figure_9c_1(
    __global const float* restrict stage0,
    __global float* restrict result)
{
    float acc0 = 0.0f;
    for (int i0 = 0; i0 < 32; ++i0) {
        acc0 = (acc0 + stage0[i0]);
    }
    result[0] = acc0;
}
