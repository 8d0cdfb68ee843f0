#pragma OPENCL FP_CONTRACT OFF
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void rows_in_parts_0(
    __global const float* restrict ys,
    __global const float* restrict xss,
    __global float* restrict stage0_0,
    __global float* restrict stage0_1,
    int m)
{
    int group0 = (int)get_group_id(0);
    int group1 = (int)get_group_id(1);
    float4 acc0 = (float4)(0.0f);
    float4 acc1 = (float4)((-0.0f));
    for (int i0 = 0; i0 < (m / 16); ++i0) {
        const float4 t0 = (*(__global const unaligned_float4*)(xss + (group0 * m + 4 * group1 * (m / 16) + 4 * i0)) * *(__global const unaligned_float4*)(ys + (4 * group1 * (m / 16) + 4 * i0)));
        const float4 t1 = (acc0 + t0);
        const float4 t2 = (t1 - acc0);
        const float4 next0 = t1;
        const float4 next1 = ((acc1 + (float4)((-0.0f))) + ((acc0 - (t1 - t2)) + (t0 - t2)));
        acc0 = next0;
        acc1 = next1;
    }
    const float t3 = (acc0.s0 + acc0.s1);
    const float t4 = (acc0.s2 + acc0.s3);
    const float t5 = (t3 + t4);
    stage0_0[5 * group0 + group1] = t5;
    const float t6 = (t3 - acc0.s0);
    const float t7 = (t4 - acc0.s2);
    const float t8 = (((acc1.s0 + acc1.s1) + ((acc0.s0 - (t3 - t6)) + (acc0.s1 - t6))) + ((acc1.s2 + acc1.s3) + ((acc0.s2 - (t4 - t7)) + (acc0.s3 - t7))));
    const float t9 = (t5 - t3);
    stage0_1[5 * group0 + group1] = (t8 + ((t3 - (t5 - t9)) + (t4 - t9)));
    int group2 = (int)get_group_id(1);
    if (group2 < 1) {
        float kept0;
        float kept1;
        float4 acc2 = (float4)(0.0f);
        float4 acc3 = (float4)((-0.0f));
        for (int i1 = 0; i1 < (((m / 4)) % 4); ++i1) {
            const float4 t10 = (*(__global const unaligned_float4*)(xss + (group0 * m + group2 * (m % 16) + 4 * i1 + 16 * (m / 16))) * *(__global const unaligned_float4*)(ys + (group2 * (m % 16) + 4 * i1 + 16 * (m / 16))));
            const float4 t11 = (acc2 + t10);
            const float4 t12 = (t11 - acc2);
            const float4 next2 = t11;
            const float4 next3 = ((acc3 + (float4)((-0.0f))) + ((acc2 - (t11 - t12)) + (t10 - t12)));
            acc2 = next2;
            acc3 = next3;
        }
        const float t13 = (acc2.s0 + acc2.s1);
        const float t14 = (acc2.s2 + acc2.s3);
        const float t15 = (t13 + t14);
        kept0 = t15;
        const float t16 = (t13 - acc2.s0);
        const float t17 = (t14 - acc2.s2);
        const float t18 = (((acc3.s0 + acc3.s1) + ((acc2.s0 - (t13 - t16)) + (acc2.s1 - t16))) + ((acc3.s2 + acc3.s3) + ((acc2.s2 - (t14 - t17)) + (acc2.s3 - t17))));
        const float t19 = (t15 - t13);
        kept1 = (t18 + ((t13 - (t15 - t19)) + (t14 - t19)));
        float acc4 = 0.0f;
        float acc5 = (-0.0f);
        for (int i2 = 0; i2 < (m % 4); ++i2) {
            const float t20 = (xss[group0 * m + group2 * (m % 16) + i2 + 4 * (m / 4)] * ys[group2 * (m % 16) + i2 + 4 * (m / 4)]);
            const float t21 = (acc4 + t20);
            const float t22 = (t21 - acc4);
            const float next4 = t21;
            const float next5 = ((acc5 + (-0.0f)) + ((acc4 - (t21 - t22)) + (t20 - t22)));
            acc4 = next4;
            acc5 = next5;
        }
        const float e0 = kept0;
        const float t23 = (e0 + acc4);
        stage0_0[5 * group0 + group2 + 4] = t23;
        const float t24 = (t23 - e0);
        stage0_1[5 * group0 + group2 + 4] = ((kept1 + acc5) + ((e0 - (t23 - t24)) + (acc4 - t24)));
    }
}

__kernel void rows_in_parts_1(
    __global const float* restrict zs,
    __global const float* restrict stage0_0,
    __global const float* restrict stage0_1,
    __global float* restrict result)
{
    int group0 = (int)get_group_id(0);
    float acc0 = 0.0f;
    float acc1 = (-0.0f);
    for (int i0 = 0; i0 < 5; ++i0) {
        const float e0 = stage0_0[5 * group0 + i0];
        const float t0 = (acc0 + e0);
        const float t1 = (t0 - acc0);
        const float next0 = t0;
        const float next1 = ((acc1 + stage0_1[5 * group0 + i0]) + ((acc0 - (t0 - t1)) + (e0 - t1)));
        acc0 = next0;
        acc1 = next1;
    }
    result[group0] = ((((fabs(acc1) > (-0.0f)) ? (acc0 + acc1) : acc0) * 3.0f) + (zs[group0] * 2.0f));
}
