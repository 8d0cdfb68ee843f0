#pragma OPENCL FP_CONTRACT OFF
#if defined(__x86_64__) || defined(__aarch64__)
#define PREFETCH_READ(p) __builtin_prefetch((const void *)(size_t)(p), 0)
#define PREFETCH_WRITE(p) __builtin_prefetch((const void *)(size_t)(p), 1)
#else
#define PREFETCH_READ(p) prefetch(p, 1)
#define PREFETCH_WRITE(p) prefetch(p, 1)
#endif
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void one_loop_0(
    __global const float* restrict a,
    __global const float* restrict xs,
    __global const float* restrict ys,
    __global const float* restrict zs,
    __global float* restrict stage0_0,
    __global float* restrict stage0_1,
    __global float* restrict stage0_2,
    int n)
{
    int group0 = (int)get_group_id(0);
    if (group0 < (n / 1024)) {
        float4 acc0 = (float4)(0.0f);
        float4 acc1 = (float4)((-0.0f));
        for (int i0 = 0; i0 < 128; ++i0) {
            PREFETCH_READ(xs + (1024 * group0 + 8 * i0 + 256));
            PREFETCH_READ(ys + (1024 * group0 + 8 * i0 + 256));
            PREFETCH_READ(xs + (1024 * group0 + 8 * i0 + 260));
            PREFETCH_READ(ys + (1024 * group0 + 8 * i0 + 260));
            PREFETCH_READ(zs + (1024 * group0 + 8 * i0 + 256));
            PREFETCH_READ(zs + (1024 * group0 + 8 * i0 + 260));
            const float4 t0 = (*(__global const unaligned_float4*)(xs + (1024 * group0 + 8 * i0)) - ((float4)(a[0]) * *(__global const unaligned_float4*)(ys + (1024 * group0 + 8 * i0))));
            const float4 t1 = (*(__global const unaligned_float4*)(xs + (1024 * group0 + 8 * i0 + 4)) - ((float4)(a[0]) * *(__global const unaligned_float4*)(ys + (1024 * group0 + 8 * i0 + 4))));
            const float4 t2 = ((t0 * *(__global const unaligned_float4*)(zs + (1024 * group0 + 8 * i0))) + (t1 * *(__global const unaligned_float4*)(zs + (1024 * group0 + 8 * i0 + 4))));
            const float4 t3 = (acc0 + t2);
            const float4 t4 = (t3 - acc0);
            const float4 t5 = (*(__global const unaligned_float4*)(xs + (1024 * group0 + 8 * i0)) - ((float4)(a[0]) * *(__global const unaligned_float4*)(ys + (1024 * group0 + 8 * i0))));
            *(__global unaligned_float4*)(stage0_0 + (1024 * group0 + 8 * i0)) = t5;
            const float4 t6 = (*(__global const unaligned_float4*)(xs + (1024 * group0 + 8 * i0 + 4)) - ((float4)(a[0]) * *(__global const unaligned_float4*)(ys + (1024 * group0 + 8 * i0 + 4))));
            *(__global unaligned_float4*)(stage0_0 + (1024 * group0 + 8 * i0 + 4)) = t6;
            const float4 next0 = t3;
            const float4 next1 = ((acc1 + (float4)((-0.0f))) + ((acc0 - (t3 - t4)) + (t2 - t4)));
            acc0 = next0;
            acc1 = next1;
        }
        const float t7 = (acc0.s0 + acc0.s1);
        const float t8 = (acc0.s2 + acc0.s3);
        const float t9 = (t7 + t8);
        stage0_1[group0] = t9;
        const float t10 = (t7 - acc0.s0);
        const float t11 = (t8 - acc0.s2);
        const float t12 = (((acc1.s0 + acc1.s1) + ((acc0.s0 - (t7 - t10)) + (acc0.s1 - t10))) + ((acc1.s2 + acc1.s3) + ((acc0.s2 - (t8 - t11)) + (acc0.s3 - t11))));
        const float t13 = (t9 - t7);
        stage0_2[group0] = (t12 + ((t7 - (t9 - t13)) + (t8 - t13)));
    }
    int group1 = (int)get_group_id(0);
    if (group1 < 1) {
        float acc2 = 0.0f;
        float acc3 = (-0.0f);
        for (int i1 = 0; i1 < (n % 8); ++i1) {
            const float e0 = a[0];
            const float t14 = ((xs[group1 * (n % 1024) + i1 + 8 * (n / 8)] - (e0 * ys[group1 * (n % 1024) + i1 + 8 * (n / 8)])) * zs[group1 * (n % 1024) + i1 + 8 * (n / 8)]);
            const float t15 = (acc2 + t14);
            const float t16 = (t15 - acc2);
            stage0_0[group1 * (n % 1024) + i1 + 8 * (n / 8)] = (xs[group1 * (n % 1024) + i1 + 8 * (n / 8)] - (e0 * ys[group1 * (n % 1024) + i1 + 8 * (n / 8)]));
            const float next2 = t15;
            const float next3 = ((acc3 + (-0.0f)) + ((acc2 - (t15 - t16)) + (t14 - t16)));
            acc2 = next2;
            acc3 = next3;
        }
        float4 acc4 = (float4)(0.0f);
        float4 acc5 = (float4)((-0.0f));
        for (int i2 = 0; i2 < (((n / 8)) % 128); ++i2) {
            PREFETCH_READ(xs + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024) + 256));
            PREFETCH_READ(ys + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024) + 256));
            PREFETCH_READ(xs + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024) + 260));
            PREFETCH_READ(ys + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024) + 260));
            PREFETCH_READ(zs + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024) + 256));
            PREFETCH_READ(zs + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024) + 260));
            const float4 t17 = ((float4)(a[0]) * *(__global const unaligned_float4*)(ys + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024))));
            const float4 t18 = ((*(__global const unaligned_float4*)(xs + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024))) - t17) * *(__global const unaligned_float4*)(zs + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024))));
            const float4 t19 = ((float4)(a[0]) * *(__global const unaligned_float4*)(ys + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024) + 4)));
            const float4 t20 = (*(__global const unaligned_float4*)(xs + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024) + 4)) - t19);
            const float4 t21 = (t20 * *(__global const unaligned_float4*)(zs + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024) + 4)));
            const float4 t22 = (t18 + t21);
            const float4 t23 = (acc4 + t22);
            const float4 t24 = (t23 - acc4);
            const float4 t25 = ((float4)(a[0]) * *(__global const unaligned_float4*)(ys + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024))));
            *(__global unaligned_float4*)(stage0_0 + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024))) = (*(__global const unaligned_float4*)(xs + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024))) - t25);
            const float4 t26 = ((float4)(a[0]) * *(__global const unaligned_float4*)(ys + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024) + 4)));
            const float4 t27 = (*(__global const unaligned_float4*)(xs + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024) + 4)) - t26);
            *(__global unaligned_float4*)(stage0_0 + (group1 * (n % 1024) + 8 * i2 + 1024 * (n / 1024) + 4)) = t27;
            const float4 next4 = t23;
            const float4 next5 = ((acc5 + (float4)((-0.0f))) + ((acc4 - (t23 - t24)) + (t22 - t24)));
            acc4 = next4;
            acc5 = next5;
        }
        float kept0;
        float kept1;
        const float t28 = (acc4.s0 + acc4.s1);
        const float t29 = (acc4.s2 + acc4.s3);
        const float t30 = (t28 + t29);
        kept0 = t30;
        const float t31 = (t28 - acc4.s0);
        const float t32 = (t29 - acc4.s2);
        const float t33 = (((acc5.s0 + acc5.s1) + ((acc4.s0 - (t28 - t31)) + (acc4.s1 - t31))) + ((acc5.s2 + acc5.s3) + ((acc4.s2 - (t29 - t32)) + (acc4.s3 - t32))));
        const float t34 = (t30 - t28);
        kept1 = (t33 + ((t28 - (t30 - t34)) + (t29 - t34)));
        const float e1 = kept0;
        const float t35 = (e1 + acc2);
        stage0_1[group1 + (n / 1024)] = t35;
        const float t36 = (t35 - e1);
        stage0_2[group1 + (n / 1024)] = ((kept1 + acc3) + ((e1 - (t35 - t36)) + (acc2 - t36)));
    }
}

__kernel void one_loop_1(
    __global const float* restrict stage0_0,
    __global const float* restrict stage0_1,
    __global const float* restrict stage0_2,
    __global float* restrict result,
    int n)
{
    float kept0;
    float kept1;
    float4 acc0 = (float4)(0.0f);
    float4 acc1 = (float4)((-0.0f));
    for (int i0 = 0; i0 < ((n + 1024) / 8192); ++i0) {
        const float4 e0 = *(__global const unaligned_float4*)(stage0_1 + (8 * i0));
        const float4 e1 = *(__global const unaligned_float4*)(stage0_1 + (8 * i0 + 4));
        const float4 t0 = (e0 + e1);
        const float4 t1 = (acc0 + t0);
        const float4 t2 = (*(__global const unaligned_float4*)(stage0_2 + (8 * i0)) + *(__global const unaligned_float4*)(stage0_2 + (8 * i0 + 4)));
        const float4 t3 = (t0 - e0);
        const float4 t4 = (t1 - acc0);
        const float4 next0 = t1;
        const float4 next1 = ((acc1 + (t2 + ((e0 - (t0 - t3)) + (e1 - t3)))) + ((acc0 - (t1 - t4)) + (t0 - t4)));
        acc0 = next0;
        acc1 = next1;
    }
    const float t5 = (acc0.s0 + acc0.s1);
    const float t6 = (acc0.s2 + acc0.s3);
    const float t7 = (t5 + t6);
    kept0 = t7;
    const float t8 = (t5 - acc0.s0);
    const float t9 = (t6 - acc0.s2);
    const float t10 = (((acc1.s0 + acc1.s1) + ((acc0.s0 - (t5 - t8)) + (acc0.s1 - t8))) + ((acc1.s2 + acc1.s3) + ((acc0.s2 - (t6 - t9)) + (acc0.s3 - t9))));
    const float t11 = (t7 - t5);
    kept1 = (t10 + ((t5 - (t7 - t11)) + (t6 - t11)));
    float acc2 = 0.0f;
    float acc3 = (-0.0f);
    for (int i1 = 0; i1 < (((n / 1024) + 1) % 8); ++i1) {
        const float e2 = stage0_1[i1 + 8 * ((n + 1024) / 8192)];
        const float t12 = (acc2 + e2);
        const float t13 = (t12 - acc2);
        const float next2 = t12;
        const float next3 = ((acc3 + stage0_2[i1 + 8 * ((n + 1024) / 8192)]) + ((acc2 - (t12 - t13)) + (e2 - t13)));
        acc2 = next2;
        acc3 = next3;
    }
    const float e3 = kept0;
    const float t14 = (e3 + acc2);
    const float t15 = (t14 - e3);
    const float t16 = ((kept1 + acc3) + ((e3 - (t14 - t15)) + (acc2 - t15)));
    result[0] = ((fabs(t16) > (-0.0f)) ? (t14 + t16) : t14);
}
