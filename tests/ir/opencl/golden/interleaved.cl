#pragma OPENCL FP_CONTRACT OFF
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void interleaved_0(
    __global const float* restrict xs,
    __global const float* restrict ys,
    __global float* restrict stage0_0,
    __global float* restrict stage0_1,
    int n)
{
    int group0 = (int)get_group_id(0);
    float4 acc0 = (float4)(0.0f);
    float4 acc1 = (float4)((-0.0f));
    for (int i0 = 0; i0 < (n / 16); ++i0) {
        const float4 t0 = (*(__global const unaligned_float4*)(xs + (8 * group0 * (n / 16) + 8 * i0)) * *(__global const unaligned_float4*)(ys + (8 * group0 * (n / 16) + 8 * i0)));
        const float4 t1 = (*(__global const unaligned_float4*)(xs + (8 * group0 * (n / 16) + 8 * i0 + 4)) * *(__global const unaligned_float4*)(ys + (8 * group0 * (n / 16) + 8 * i0 + 4)));
        const float4 t2 = (t0 + t1);
        const float4 t3 = (acc0 + t2);
        const float4 t4 = (t3 - acc0);
        const float4 next0 = t3;
        const float4 next1 = ((acc1 + (float4)((-0.0f))) + ((acc0 - (t3 - t4)) + (t2 - t4)));
        acc0 = next0;
        acc1 = next1;
    }
    float acc2 = 0.0f;
    float acc3 = (-0.0f);
    const float t5 = (acc0.s0 + acc0.s1);
    const float t6 = (acc0.s2 + acc0.s3);
    const float t7 = (t5 + t6);
    const float t8 = (acc2 + t7);
    const float t9 = (t5 - acc0.s0);
    const float t10 = (t6 - acc0.s2);
    const float t11 = (((acc1.s0 + acc1.s1) + ((acc0.s0 - (t5 - t9)) + (acc0.s1 - t9))) + ((acc1.s2 + acc1.s3) + ((acc0.s2 - (t6 - t10)) + (acc0.s3 - t10))));
    const float t12 = (t7 - t5);
    const float t13 = (t8 - acc2);
    const float next2 = t8;
    const float next3 = ((acc3 + (t11 + ((t5 - (t7 - t12)) + (t6 - t12)))) + ((acc2 - (t8 - t13)) + (t7 - t13)));
    acc2 = next2;
    acc3 = next3;
    stage0_0[group0] = acc2;
    stage0_1[group0] = acc3;
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        float4 acc4 = (float4)(0.0f);
        float4 acc5 = (float4)((-0.0f));
        for (int i1 = 0; i1 < (((n / 8)) % 2); ++i1) {
            const float4 t14 = (*(__global const unaligned_float4*)(xs + (group1 * (n % 16) + 8 * i1 + 16 * (n / 16))) * *(__global const unaligned_float4*)(ys + (group1 * (n % 16) + 8 * i1 + 16 * (n / 16))));
            const float4 t15 = (*(__global const unaligned_float4*)(xs + (group1 * (n % 16) + 8 * i1 + 16 * (n / 16) + 4)) * *(__global const unaligned_float4*)(ys + (group1 * (n % 16) + 8 * i1 + 16 * (n / 16) + 4)));
            const float4 t16 = (t14 + t15);
            const float4 t17 = (acc4 + t16);
            const float4 t18 = (t17 - acc4);
            const float4 next4 = t17;
            const float4 next5 = ((acc5 + (float4)((-0.0f))) + ((acc4 - (t17 - t18)) + (t16 - t18)));
            acc4 = next4;
            acc5 = next5;
        }
        float acc6 = 0.0f;
        float acc7 = (-0.0f);
        const float t19 = (acc4.s0 + acc4.s1);
        const float t20 = (acc4.s2 + acc4.s3);
        const float t21 = (t19 + t20);
        const float t22 = (acc6 + t21);
        const float t23 = (t19 - acc4.s0);
        const float t24 = (t20 - acc4.s2);
        const float t25 = (((acc5.s0 + acc5.s1) + ((acc4.s0 - (t19 - t23)) + (acc4.s1 - t23))) + ((acc5.s2 + acc5.s3) + ((acc4.s2 - (t20 - t24)) + (acc4.s3 - t24))));
        const float t26 = (t21 - t19);
        const float t27 = (t22 - acc6);
        const float next6 = t22;
        const float next7 = ((acc7 + (t25 + ((t19 - (t21 - t26)) + (t20 - t26)))) + ((acc6 - (t22 - t27)) + (t21 - t27)));
        acc6 = next6;
        acc7 = next7;
        float acc8 = 0.0f;
        float acc9 = (-0.0f);
        for (int i2 = 0; i2 < (n % 8); ++i2) {
            const float t28 = (xs[group1 * (n % 16) + i2 + 8 * (n / 8)] * ys[group1 * (n % 16) + i2 + 8 * (n / 8)]);
            const float t29 = (acc8 + t28);
            const float t30 = (t29 - acc8);
            const float next8 = t29;
            const float next9 = ((acc9 + (-0.0f)) + ((acc8 - (t29 - t30)) + (t28 - t30)));
            acc8 = next8;
            acc9 = next9;
        }
        float acc10 = 0.0f;
        float acc11 = (-0.0f);
        const float t31 = (acc10 + acc6);
        const float t32 = (t31 - acc10);
        const float next10 = t31;
        const float next11 = ((acc11 + acc7) + ((acc10 - (t31 - t32)) + (acc6 - t32)));
        acc10 = next10;
        acc11 = next11;
        const float t33 = (acc10 + acc8);
        const float t34 = (t33 - acc10);
        const float next12 = t33;
        const float next13 = ((acc11 + acc9) + ((acc10 - (t33 - t34)) + (acc8 - t34)));
        acc10 = next12;
        acc11 = next13;
        stage0_0[group1 + 2] = acc10;
        stage0_1[group1 + 2] = acc11;
    }
}

__kernel void interleaved_1(
    __global const float* restrict stage0_0,
    __global const float* restrict stage0_1,
    __global float* restrict result)
{
    float acc0 = 0.0f;
    float acc1 = (-0.0f);
    for (int i0 = 0; i0 < 3; ++i0) {
        const float e0 = stage0_0[i0];
        const float t0 = (acc0 + e0);
        const float t1 = (t0 - acc0);
        const float next0 = t0;
        const float next1 = ((acc1 + stage0_1[i0]) + ((acc0 - (t0 - t1)) + (e0 - t1)));
        acc0 = next0;
        acc1 = next1;
    }
    result[0] = ((fabs(acc1) > (-0.0f)) ? (acc0 + acc1) : acc0);
}
