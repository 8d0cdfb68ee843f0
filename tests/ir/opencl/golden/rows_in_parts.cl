#pragma OPENCL FP_CONTRACT OFF
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void rows_in_parts_0(
    __global const float* restrict ys,
    __global const float* restrict xss,
    __global float* restrict stage0,
    int m)
{
    int group0 = (int)get_group_id(0);
    int group1 = (int)get_group_id(1);
    float4 acc0 = (float4)(0.0f);
    for (int i0 = 0; i0 < (m / 16); ++i0) {
        const float4 t0 = (*(__global const unaligned_float4*)(xss + (group0 * m + 4 * group1 * (m / 16) + 4 * i0)) * *(__global const unaligned_float4*)(ys + (4 * group1 * (m / 16) + 4 * i0)));
        acc0 = (acc0 + t0);
    }
    float acc1 = 0.0f;
    acc1 = (acc1 + acc0.s0);
    acc1 = (acc1 + acc0.s1);
    acc1 = (acc1 + acc0.s2);
    acc1 = (acc1 + acc0.s3);
    stage0[5 * group0 + group1] = acc1;
    int group2 = (int)get_group_id(1);
    if (group2 < 1) {
        float4 acc2 = (float4)(0.0f);
        for (int i1 = 0; i1 < (((m / 4)) % 4); ++i1) {
            const float4 t1 = (*(__global const unaligned_float4*)(xss + (group0 * m + group2 * (m % 16) + 4 * i1 + 16 * (m / 16))) * *(__global const unaligned_float4*)(ys + (group2 * (m % 16) + 4 * i1 + 16 * (m / 16))));
            acc2 = (acc2 + t1);
        }
        float acc3 = 0.0f;
        acc3 = (acc3 + acc2.s0);
        acc3 = (acc3 + acc2.s1);
        acc3 = (acc3 + acc2.s2);
        acc3 = (acc3 + acc2.s3);
        float acc4 = 0.0f;
        for (int i2 = 0; i2 < (m % 4); ++i2) {
            const float t2 = (acc4 + (xss[group0 * m + group2 * (m % 16) + i2 + 4 * (m / 4)] * ys[group2 * (m % 16) + i2 + 4 * (m / 4)]));
            acc4 = t2;
        }
        float acc5 = 0.0f;
        acc5 = (acc5 + acc3);
        acc5 = (acc5 + acc4);
        stage0[5 * group0 + group2 + 4] = acc5;
    }
}

__kernel void rows_in_parts_1(
    __global const float* restrict zs,
    __global const float* restrict stage0,
    __global float* restrict result)
{
    int group0 = (int)get_group_id(0);
    float acc0 = 0.0f;
    for (int i0 = 0; i0 < 5; ++i0) {
        acc0 = (acc0 + stage0[5 * group0 + i0]);
    }
    result[group0] = ((acc0 * 3.0f) + (zs[group0] * 2.0f));
}
