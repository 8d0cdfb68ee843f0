#pragma OPENCL FP_CONTRACT OFF
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void map_reduce_in_vectors(
    __global const float* restrict v256,
    __global float* restrict result_0,
    __global float* restrict result_1)
{
    float4 acc0 = (float4)(0.0f);
    for (int i0 = 0; i0 < 64; ++i0) {
        const float4 e0 = *(__global const unaligned_float4*)(v256 + (4 * i0));
        *(__global unaligned_float4*)(result_1 + (4 * i0)) = fabs(e0);
        acc0 = (acc0 + e0);
    }
    result_0[0] = acc0.s0;
    result_0[1] = acc0.s1;
    result_0[2] = acc0.s2;
    result_0[3] = acc0.s3;
}
