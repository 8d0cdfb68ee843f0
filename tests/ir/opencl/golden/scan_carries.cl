#pragma OPENCL FP_CONTRACT OFF
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void scan_carries_0(
    __global const float* restrict xs,
    __global float* restrict stage0,
    int n)
{
    int group0 = (int)get_group_id(0);
    float4 kept0;
    float4 acc0 = (float4)((-0.0f));
    float4 acc1 = (float4)((-0.0f));
    float4 acc2 = (float4)((-0.0f));
    float4 acc3 = (float4)((-0.0f));
    for (int i0 = 0; i0 < (n / 64); ++i0) {
        acc0 = (acc0 + *(__global const unaligned_float4*)(xs + (4 * group0 * (n / 16) + 16 * i0)));
        acc1 = (acc1 + *(__global const unaligned_float4*)(xs + (4 * group0 * (n / 16) + 16 * i0 + 4)));
        acc2 = (acc2 + *(__global const unaligned_float4*)(xs + (4 * group0 * (n / 16) + 16 * i0 + 8)));
        acc3 = (acc3 + *(__global const unaligned_float4*)(xs + (4 * group0 * (n / 16) + 16 * i0 + 12)));
    }
    kept0 = (acc0 + (acc1 + (acc2 + acc3)));
    float acc4 = (-0.0f);
    acc4 = (acc4 + kept0.s0);
    acc4 = (acc4 + kept0.s1);
    acc4 = (acc4 + kept0.s2);
    acc4 = (acc4 + kept0.s3);
    float acc5 = (-0.0f);
    for (int i1 = 0; i1 < 4 * (((n / 16)) % 4); ++i1) {
        acc5 = (acc5 + xs[4 * group0 * (n / 16) + i1 + 16 * (n / 64)]);
    }
    float acc6 = (-0.0f);
    acc6 = (acc6 + acc4);
    acc6 = (acc6 + acc5);
    stage0[group0] = acc6;
}

__kernel void scan_carries_1(
    __global const float* restrict a,
    __global const float* restrict stage0,
    __global float* restrict stage1)
{
    float acc0 = a[0];
    acc0 = (acc0 + (-0.0f));
    stage1[0] = acc0;
    acc0 = (acc0 + stage0[0]);
    stage1[1] = acc0;
    acc0 = (acc0 + stage0[1]);
    stage1[2] = acc0;
    acc0 = (acc0 + stage0[2]);
    stage1[3] = acc0;
    acc0 = (acc0 + stage0[3]);
    stage1[4] = acc0;
}

__kernel void scan_carries_2(
    __global const float* restrict xs,
    __global const float* restrict stage1,
    __global float* restrict result,
    int n)
{
    int group0 = (int)get_group_id(0);
    float4 acc0 = (float4)((-0.0f));
    for (int i0 = 0; i0 < (n / 16); ++i0) {
        const float4 e0 = *(__global const unaligned_float4*)(xs + (4 * group0 * (n / 16) + 4 * i0));
        const float4 t0 = ((float4)((-0.0f), e0.s0, e0.s1, e0.s2) + e0);
        const float4 t1 = ((float4)(acc0.s3) + ((float4)((-0.0f), (-0.0f), t0.s0, t0.s1) + t0));
        vstore4(((float4)(stage1[group0]) + t1), 0, result + (4 * group0 * (n / 16) + 4 * i0));
        acc0 = t1;
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        float acc1 = (-0.0f);
        for (int i1 = 0; i1 < (n % 16); ++i1) {
            const float t2 = (acc1 + xs[group1 * (n % 16) + i1 + 16 * (n / 16)]);
            result[group1 * (n % 16) + i1 + 16 * (n / 16)] = (stage1[group1 + 4] + t2);
            acc1 = t2;
        }
    }
}
