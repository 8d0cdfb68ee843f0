#pragma OPENCL FP_CONTRACT OFF
#if defined(__x86_64__) || defined(__aarch64__)
#define PREFETCH_READ(p) __builtin_prefetch((const void *)(size_t)(p), 0)
#define PREFETCH_WRITE(p) __builtin_prefetch((const void *)(size_t)(p), 1)
#else
#define PREFETCH_READ(p) prefetch(p, 1)
#define PREFETCH_WRITE(p) prefetch(p, 1)
#endif
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void apart_and_prefetched_0(
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
        PREFETCH_READ(xs + (8 * group0 * (n / 16) + 4 * i0 + 16));
        PREFETCH_READ(ys + (8 * group0 * (n / 16) + 4 * i0 + 16));
        PREFETCH_READ(xs + (8 * group0 * (n / 16) + 4 * i0 + 4 * (n / 16) + 16));
        PREFETCH_READ(ys + (8 * group0 * (n / 16) + 4 * i0 + 4 * (n / 16) + 16));
        const float4 t0 = (*(__global const unaligned_float4*)(xs + (8 * group0 * (n / 16) + 4 * i0)) * *(__global const unaligned_float4*)(ys + (8 * group0 * (n / 16) + 4 * i0)));
        const float4 t1 = (*(__global const unaligned_float4*)(xs + (8 * group0 * (n / 16) + 4 * i0 + 4 * (n / 16))) * *(__global const unaligned_float4*)(ys + (8 * group0 * (n / 16) + 4 * i0 + 4 * (n / 16))));
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
    stage0_0[group0] = t7;
    const float t8 = (t5 - acc0.s0);
    const float t9 = (t6 - acc0.s2);
    const float t10 = (((acc1.s0 + acc1.s1) + ((acc0.s0 - (t5 - t8)) + (acc0.s1 - t8))) + ((acc1.s2 + acc1.s3) + ((acc0.s2 - (t6 - t9)) + (acc0.s3 - t9))));
    const float t11 = (t7 - t5);
    stage0_1[group0] = (t10 + ((t5 - (t7 - t11)) + (t6 - t11)));
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        float kept0;
        float kept1;
        float4 acc2 = (float4)(0.0f);
        float4 acc3 = (float4)((-0.0f));
        for (int i1 = 0; i1 < (((n / 8)) % 2); ++i1) {
            const float4 t12 = (*(__global const unaligned_float4*)(xs + (group1 * (n % 16) + 8 * i1 + 16 * (n / 16))) * *(__global const unaligned_float4*)(ys + (group1 * (n % 16) + 8 * i1 + 16 * (n / 16))));
            const float4 t13 = (*(__global const unaligned_float4*)(xs + (group1 * (n % 16) + 8 * i1 + 16 * (n / 16) + 4)) * *(__global const unaligned_float4*)(ys + (group1 * (n % 16) + 8 * i1 + 16 * (n / 16) + 4)));
            const float4 t14 = (t12 + t13);
            const float4 t15 = (acc2 + t14);
            const float4 t16 = (t15 - acc2);
            const float4 next2 = t15;
            const float4 next3 = ((acc3 + (float4)((-0.0f))) + ((acc2 - (t15 - t16)) + (t14 - t16)));
            acc2 = next2;
            acc3 = next3;
        }
        const float t17 = (acc2.s0 + acc2.s1);
        const float t18 = (acc2.s2 + acc2.s3);
        const float t19 = (t17 + t18);
        kept0 = t19;
        const float t20 = (t17 - acc2.s0);
        const float t21 = (t18 - acc2.s2);
        const float t22 = (((acc3.s0 + acc3.s1) + ((acc2.s0 - (t17 - t20)) + (acc2.s1 - t20))) + ((acc3.s2 + acc3.s3) + ((acc2.s2 - (t18 - t21)) + (acc2.s3 - t21))));
        const float t23 = (t19 - t17);
        kept1 = (t22 + ((t17 - (t19 - t23)) + (t18 - t23)));
        float acc4 = 0.0f;
        float acc5 = (-0.0f);
        for (int i2 = 0; i2 < (n % 8); ++i2) {
            const float t24 = (xs[group1 * (n % 16) + i2 + 8 * (n / 8)] * ys[group1 * (n % 16) + i2 + 8 * (n / 8)]);
            const float t25 = (acc4 + t24);
            const float t26 = (t25 - acc4);
            const float next4 = t25;
            const float next5 = ((acc5 + (-0.0f)) + ((acc4 - (t25 - t26)) + (t24 - t26)));
            acc4 = next4;
            acc5 = next5;
        }
        const float e0 = kept0;
        const float t27 = (e0 + acc4);
        stage0_0[group1 + 2] = t27;
        const float t28 = (t27 - e0);
        stage0_1[group1 + 2] = ((kept1 + acc5) + ((e0 - (t27 - t28)) + (acc4 - t28)));
    }
}

__kernel void apart_and_prefetched_1(
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
