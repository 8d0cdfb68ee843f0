#pragma OPENCL FP_CONTRACT OFF
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void interleaved_0(
    __global const float* restrict xs,
    __global const float* restrict ys,
    __global float* restrict stage0,
    int n)
{
    int group0 = (int)get_group_id(0);
    float4 kept0;
    float4 acc0 = (float4)(0.0f);
    float4 acc1 = (float4)(0.0f);
    for (int i0 = 0; i0 < (n / 16); ++i0) {
        const float4 t0 = (*(__global const unaligned_float4*)(xs + (8 * group0 * (n / 16) + 8 * i0)) * *(__global const unaligned_float4*)(ys + (8 * group0 * (n / 16) + 8 * i0)));
        const float4 t1 = (*(__global const unaligned_float4*)(xs + (8 * group0 * (n / 16) + 8 * i0 + 4)) * *(__global const unaligned_float4*)(ys + (8 * group0 * (n / 16) + 8 * i0 + 4)));
        acc0 = (acc0 + t0);
        acc1 = (acc1 + t1);
    }
    kept0 = (acc0 + acc1);
    float acc2 = 0.0f;
    acc2 = (acc2 + kept0.s0);
    acc2 = (acc2 + kept0.s1);
    acc2 = (acc2 + kept0.s2);
    acc2 = (acc2 + kept0.s3);
    stage0[group0] = acc2;
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        float acc3 = 0.0f;
        for (int i1 = 0; i1 < (n % 16); ++i1) {
            acc3 = (acc3 + (xs[group1 * (n % 16) + i1 + 16 * (n / 16)] * ys[group1 * (n % 16) + i1 + 16 * (n / 16)]));
        }
        stage0[group1 + 2] = acc3;
    }
}

__kernel void interleaved_1(
    __global const float* restrict stage0,
    __global float* restrict result)
{
    float acc0 = 0.0f;
    for (int i0 = 0; i0 < 3; ++i0) {
        acc0 = (acc0 + stage0[i0]);
    }
    result[0] = acc0;
}
