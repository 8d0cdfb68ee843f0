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
    float acc2 = 0.0f;
    float acc3 = (-0.0f);
    const float t3 = (acc0.s0 + acc0.s1);
    const float t4 = (acc0.s2 + acc0.s3);
    const float t5 = (t3 + t4);
    const float t6 = (acc2 + t5);
    const float t7 = (t3 - acc0.s0);
    const float t8 = (t4 - acc0.s2);
    const float t9 = (((acc1.s0 + acc1.s1) + ((acc0.s0 - (t3 - t7)) + (acc0.s1 - t7))) + ((acc1.s2 + acc1.s3) + ((acc0.s2 - (t4 - t8)) + (acc0.s3 - t8))));
    const float t10 = (t5 - t3);
    const float t11 = (t6 - acc2);
    const float next2 = t6;
    const float next3 = ((acc3 + (t9 + ((t3 - (t5 - t10)) + (t4 - t10)))) + ((acc2 - (t6 - t11)) + (t5 - t11)));
    acc2 = next2;
    acc3 = next3;
    stage0_0[5 * group0 + group1] = acc2;
    stage0_1[5 * group0 + group1] = acc3;
    int group2 = (int)get_group_id(1);
    if (group2 < 1) {
        float4 acc4 = (float4)(0.0f);
        float4 acc5 = (float4)((-0.0f));
        for (int i1 = 0; i1 < (((m / 4)) % 4); ++i1) {
            const float4 t12 = (*(__global const unaligned_float4*)(xss + (group0 * m + group2 * (m % 16) + 4 * i1 + 16 * (m / 16))) * *(__global const unaligned_float4*)(ys + (group2 * (m % 16) + 4 * i1 + 16 * (m / 16))));
            const float4 t13 = (acc4 + t12);
            const float4 t14 = (t13 - acc4);
            const float4 next4 = t13;
            const float4 next5 = ((acc5 + (float4)((-0.0f))) + ((acc4 - (t13 - t14)) + (t12 - t14)));
            acc4 = next4;
            acc5 = next5;
        }
        float acc6 = 0.0f;
        float acc7 = (-0.0f);
        const float t15 = (acc4.s0 + acc4.s1);
        const float t16 = (acc4.s2 + acc4.s3);
        const float t17 = (t15 + t16);
        const float t18 = (acc6 + t17);
        const float t19 = (t15 - acc4.s0);
        const float t20 = (t16 - acc4.s2);
        const float t21 = (((acc5.s0 + acc5.s1) + ((acc4.s0 - (t15 - t19)) + (acc4.s1 - t19))) + ((acc5.s2 + acc5.s3) + ((acc4.s2 - (t16 - t20)) + (acc4.s3 - t20))));
        const float t22 = (t17 - t15);
        const float t23 = (t18 - acc6);
        const float next6 = t18;
        const float next7 = ((acc7 + (t21 + ((t15 - (t17 - t22)) + (t16 - t22)))) + ((acc6 - (t18 - t23)) + (t17 - t23)));
        acc6 = next6;
        acc7 = next7;
        float acc8 = 0.0f;
        float acc9 = (-0.0f);
        for (int i2 = 0; i2 < (m % 4); ++i2) {
            const float t24 = (xss[group0 * m + group2 * (m % 16) + i2 + 4 * (m / 4)] * ys[group2 * (m % 16) + i2 + 4 * (m / 4)]);
            const float t25 = (acc8 + t24);
            const float t26 = (t25 - acc8);
            const float next8 = t25;
            const float next9 = ((acc9 + (-0.0f)) + ((acc8 - (t25 - t26)) + (t24 - t26)));
            acc8 = next8;
            acc9 = next9;
        }
        float acc10 = 0.0f;
        float acc11 = (-0.0f);
        const float t27 = (acc10 + acc6);
        const float t28 = (t27 - acc10);
        const float next10 = t27;
        const float next11 = ((acc11 + acc7) + ((acc10 - (t27 - t28)) + (acc6 - t28)));
        acc10 = next10;
        acc11 = next11;
        const float t29 = (acc10 + acc8);
        const float t30 = (t29 - acc10);
        const float next12 = t29;
        const float next13 = ((acc11 + acc9) + ((acc10 - (t29 - t30)) + (acc8 - t30)));
        acc10 = next12;
        acc11 = next13;
        stage0_0[5 * group0 + group2 + 4] = acc10;
        stage0_1[5 * group0 + group2 + 4] = acc11;
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
