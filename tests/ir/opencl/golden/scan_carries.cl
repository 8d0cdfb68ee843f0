#pragma OPENCL FP_CONTRACT OFF
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void scan_carries_0(
    __global const float* restrict xs,
    __global float* restrict stage0,
    int n)
{
    int group0 = (int)get_group_id(0);
    float kept0;
    float kept1;
    float kept2;
    float kept3;
    float4 acc0 = (float4)((-0.0f));
    float4 acc1 = (float4)((-0.0f));
    for (int i0 = 0; i0 < (n / 64); ++i0) {
        const float4 t0 = (*(__global const unaligned_float4*)(xs + (4 * group0 * (n / 16) + 16 * i0)) + *(__global const unaligned_float4*)(xs + (4 * group0 * (n / 16) + 16 * i0 + 4)));
        const float4 t1 = (*(__global const unaligned_float4*)(xs + (4 * group0 * (n / 16) + 16 * i0 + 8)) + *(__global const unaligned_float4*)(xs + (4 * group0 * (n / 16) + 16 * i0 + 12)));
        const float4 t2 = (t0 + t1);
        const float4 t3 = (acc0 + t2);
        const float4 t4 = (t3 - acc0);
        const float4 next0 = t3;
        const float4 next1 = ((acc1 + (float4)((-0.0f))) + ((acc0 - (t3 - t4)) + (t2 - t4)));
        acc0 = next0;
        acc1 = next1;
    }
    const float t5 = (acc0.s0 + acc0.s1);
    const float t6 = (acc0.s2 + acc0.s3);
    const float t7 = (t5 + t6);
    kept2 = t7;
    const float t8 = (t5 - acc0.s0);
    const float t9 = (t6 - acc0.s2);
    const float t10 = (((acc1.s0 + acc1.s1) + ((acc0.s0 - (t5 - t8)) + (acc0.s1 - t8))) + ((acc1.s2 + acc1.s3) + ((acc0.s2 - (t6 - t9)) + (acc0.s3 - t9))));
    const float t11 = (t7 - t5);
    kept3 = (t10 + ((t5 - (t7 - t11)) + (t6 - t11)));
    float acc2 = (-0.0f);
    float acc3 = (-0.0f);
    for (int i1 = 0; i1 < 4 * (((n / 16)) % 4); ++i1) {
        const float e0 = xs[4 * group0 * (n / 16) + i1 + 16 * (n / 64)];
        const float t12 = (acc2 + e0);
        const float t13 = (t12 - acc2);
        const float next2 = t12;
        const float next3 = ((acc3 + (-0.0f)) + ((acc2 - (t12 - t13)) + (e0 - t13)));
        acc2 = next2;
        acc3 = next3;
    }
    const float e1 = kept2;
    const float t14 = (e1 + acc2);
    kept0 = t14;
    const float t15 = (t14 - e1);
    kept1 = ((kept3 + acc3) + ((e1 - (t14 - t15)) + (acc2 - t15)));
    const float e2 = kept1;
    const float e3 = kept0;
    stage0[group0] = ((fabs(e2) > (-0.0f)) ? (e3 + e2) : e3);
}

__kernel void scan_carries_1(
    __global const float* restrict a,
    __global const float* restrict stage0,
    __global float* restrict stage1)
{
    float acc0 = a[0];
    float acc1 = (-0.0f);
    const float t0 = (acc0 + (-0.0f));
    const float t1 = (t0 - acc0);
    const float t2 = ((acc1 + (-0.0f)) + ((acc0 - (t0 - t1)) + ((-0.0f) - t1)));
    stage1[0] = ((fabs(t2) > (-0.0f)) ? (t0 + t2) : t0);
    acc0 = t0;
    acc1 = t2;
    const float e0 = stage0[0];
    const float t3 = (acc0 + e0);
    const float t4 = (t3 - acc0);
    const float t5 = ((acc1 + (-0.0f)) + ((acc0 - (t3 - t4)) + (e0 - t4)));
    stage1[1] = ((fabs(t5) > (-0.0f)) ? (t3 + t5) : t3);
    acc0 = t3;
    acc1 = t5;
    const float e1 = stage0[1];
    const float t6 = (acc0 + e1);
    const float t7 = (t6 - acc0);
    const float t8 = ((acc1 + (-0.0f)) + ((acc0 - (t6 - t7)) + (e1 - t7)));
    stage1[2] = ((fabs(t8) > (-0.0f)) ? (t6 + t8) : t6);
    acc0 = t6;
    acc1 = t8;
    const float e2 = stage0[2];
    const float t9 = (acc0 + e2);
    const float t10 = (t9 - acc0);
    const float t11 = ((acc1 + (-0.0f)) + ((acc0 - (t9 - t10)) + (e2 - t10)));
    stage1[3] = ((fabs(t11) > (-0.0f)) ? (t9 + t11) : t9);
    acc0 = t9;
    acc1 = t11;
    const float e3 = stage0[3];
    const float t12 = (acc0 + e3);
    const float t13 = (t12 - acc0);
    const float t14 = ((acc1 + (-0.0f)) + ((acc0 - (t12 - t13)) + (e3 - t13)));
    stage1[4] = ((fabs(t14) > (-0.0f)) ? (t12 + t14) : t12);
    acc0 = t12;
    acc1 = t14;
}

__kernel void scan_carries_2(
    __global const float* restrict xs,
    __global const float* restrict stage1,
    __global float* restrict result,
    int n)
{
    int group0 = (int)get_group_id(0);
    float acc0 = (-0.0f);
    float acc1 = (-0.0f);
    for (int i0 = 0; i0 < (n / 16); ++i0) {
        const float4 e0 = *(__global const unaligned_float4*)(xs + (4 * group0 * (n / 16) + 4 * i0));
        const float4 t0 = ((float4)((-0.0f), e0.s0, e0.s1, e0.s2) + e0);
        const float4 t1 = ((float4)((-0.0f), (-0.0f), t0.s0, t0.s1) + t0);
        const float t2 = (acc0 + t1.s3);
        const float t3 = (t2 - acc0);
        *(__global unaligned_float4*)(result + (4 * group0 * (n / 16) + 4 * i0)) = ((float4)(stage1[group0]) + ((float4)(((fabs(acc1) > (-0.0f)) ? (acc0 + acc1) : acc0)) + t1));
        const float next0 = t2;
        const float next1 = ((acc1 + (-0.0f)) + ((acc0 - (t2 - t3)) + (t1.s3 - t3)));
        acc0 = next0;
        acc1 = next1;
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        float acc2 = (-0.0f);
        float acc3 = (-0.0f);
        for (int i1 = 0; i1 < (n % 16); ++i1) {
            const float e1 = xs[group1 * (n % 16) + i1 + 16 * (n / 16)];
            const float t4 = (acc2 + e1);
            const float t5 = (t4 - acc2);
            const float t6 = ((acc3 + (-0.0f)) + ((acc2 - (t4 - t5)) + (e1 - t5)));
            result[group1 * (n % 16) + i1 + 16 * (n / 16)] = (stage1[group1 + 4] + ((fabs(t6) > (-0.0f)) ? (t4 + t6) : t4));
            acc2 = t4;
            acc3 = t6;
        }
    }
}
