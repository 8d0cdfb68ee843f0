#pragma OPENCL FP_CONTRACT OFF
#if defined(__x86_64__) || defined(__aarch64__)
#define PREFETCH_READ(p) __builtin_prefetch((const void *)(size_t)(p), 0)
#define PREFETCH_WRITE(p) __builtin_prefetch((const void *)(size_t)(p), 1)
#else
#define PREFETCH_READ(p) prefetch(p, 1)
#define PREFETCH_WRITE(p) prefetch(p, 1)
#endif
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void rows_together(
    __global const float* restrict ys,
    __global const float* restrict xss,
    __global float* restrict result,
    int m,
    int n)
{
    int group0 = (int)get_group_id(0);
    if (group0 < (n / 8)) {
        for (int i0 = 0; i0 < 4; ++i0) {
            float4 acc0 = (float4)(0.0f);
            float4 acc1 = (float4)((-0.0f));
            float4 acc2 = (float4)(0.0f);
            float4 acc3 = (float4)((-0.0f));
            for (int i1 = 0; i1 < (m / 4); ++i1) {
                PREFETCH_READ(xss + (8 * group0 * m + i0 * m + 4 * i1 + 16));
                PREFETCH_READ(ys + (4 * i1 + 16));
                PREFETCH_READ(xss + (8 * group0 * m + i0 * m + 4 * i1 + 4 * m + 16));
                const float4 e0 = *(__global const unaligned_float4*)(ys + (4 * i1));
                const float4 t0 = (*(__global const unaligned_float4*)(xss + (8 * group0 * m + i0 * m + 4 * i1)) * e0);
                const float4 t1 = (acc0 + t0);
                const float4 t2 = (t1 - acc0);
                const float4 t3 = (*(__global const unaligned_float4*)(xss + (8 * group0 * m + i0 * m + 4 * i1 + 4 * m)) * e0);
                const float4 t4 = (acc2 + t3);
                const float4 t5 = (t4 - acc2);
                const float4 next0 = t1;
                const float4 next1 = ((acc1 + (float4)((-0.0f))) + ((acc0 - (t1 - t2)) + (t0 - t2)));
                const float4 next2 = t4;
                const float4 next3 = ((acc3 + (float4)((-0.0f))) + ((acc2 - (t4 - t5)) + (t3 - t5)));
                acc0 = next0;
                acc1 = next1;
                acc2 = next2;
                acc3 = next3;
            }
            float acc4 = 0.0f;
            float acc5 = (-0.0f);
            float acc6 = 0.0f;
            float acc7 = (-0.0f);
            const float t6 = (acc0.s0 + acc0.s1);
            const float t7 = (acc0.s2 + acc0.s3);
            const float t8 = (t6 + t7);
            const float t9 = (acc4 + t8);
            const float t10 = (t6 - acc0.s0);
            const float t11 = (t7 - acc0.s2);
            const float t12 = (((acc1.s0 + acc1.s1) + ((acc0.s0 - (t6 - t10)) + (acc0.s1 - t10))) + ((acc1.s2 + acc1.s3) + ((acc0.s2 - (t7 - t11)) + (acc0.s3 - t11))));
            const float t13 = (t8 - t6);
            const float t14 = (t9 - acc4);
            const float t15 = (acc2.s0 + acc2.s1);
            const float t16 = (acc2.s2 + acc2.s3);
            const float t17 = (t15 + t16);
            const float t18 = (acc6 + t17);
            const float t19 = (t15 - acc2.s0);
            const float t20 = (t16 - acc2.s2);
            const float t21 = (((acc3.s0 + acc3.s1) + ((acc2.s0 - (t15 - t19)) + (acc2.s1 - t19))) + ((acc3.s2 + acc3.s3) + ((acc2.s2 - (t16 - t20)) + (acc2.s3 - t20))));
            const float t22 = (t17 - t15);
            const float t23 = (t18 - acc6);
            const float next4 = t9;
            const float next5 = ((acc5 + (t12 + ((t6 - (t8 - t13)) + (t7 - t13)))) + ((acc4 - (t9 - t14)) + (t8 - t14)));
            const float next6 = t18;
            const float next7 = ((acc7 + (t21 + ((t15 - (t17 - t22)) + (t16 - t22)))) + ((acc6 - (t18 - t23)) + (t17 - t23)));
            acc4 = next4;
            acc5 = next5;
            acc6 = next6;
            acc7 = next7;
            float acc8 = 0.0f;
            float acc9 = (-0.0f);
            float acc10 = 0.0f;
            float acc11 = (-0.0f);
            for (int i2 = 0; i2 < (m % 4); ++i2) {
                const float e1 = ys[i2 + 4 * (m / 4)];
                const float t24 = (xss[8 * group0 * m + i0 * m + i2 + 4 * (m / 4)] * e1);
                const float t25 = (acc8 + t24);
                const float t26 = (t25 - acc8);
                const float t27 = (xss[8 * group0 * m + i0 * m + i2 + 4 * m + 4 * (m / 4)] * e1);
                const float t28 = (acc10 + t27);
                const float t29 = (t28 - acc10);
                const float next8 = t25;
                const float next9 = ((acc9 + (-0.0f)) + ((acc8 - (t25 - t26)) + (t24 - t26)));
                const float next10 = t28;
                const float next11 = ((acc11 + (-0.0f)) + ((acc10 - (t28 - t29)) + (t27 - t29)));
                acc8 = next8;
                acc9 = next9;
                acc10 = next10;
                acc11 = next11;
            }
            float acc12 = 0.0f;
            float acc13 = (-0.0f);
            float acc14 = 0.0f;
            float acc15 = (-0.0f);
            const float t30 = (acc12 + acc4);
            const float t31 = (t30 - acc12);
            const float t32 = (acc14 + acc6);
            const float t33 = (t32 - acc14);
            const float next12 = t30;
            const float next13 = ((acc13 + acc5) + ((acc12 - (t30 - t31)) + (acc4 - t31)));
            const float next14 = t32;
            const float next15 = ((acc15 + acc7) + ((acc14 - (t32 - t33)) + (acc6 - t33)));
            acc12 = next12;
            acc13 = next13;
            acc14 = next14;
            acc15 = next15;
            const float t34 = (acc12 + acc8);
            const float t35 = (t34 - acc12);
            const float t36 = (acc14 + acc10);
            const float t37 = (t36 - acc14);
            const float next16 = t34;
            const float next17 = ((acc13 + acc9) + ((acc12 - (t34 - t35)) + (acc8 - t35)));
            const float next18 = t36;
            const float next19 = ((acc15 + acc11) + ((acc14 - (t36 - t37)) + (acc10 - t37)));
            acc12 = next16;
            acc13 = next17;
            acc14 = next18;
            acc15 = next19;
            result[8 * group0 + i0] = ((fabs(acc13) > (-0.0f)) ? (acc12 + acc13) : acc12);
            result[8 * group0 + i0 + 4] = ((fabs(acc15) > (-0.0f)) ? (acc14 + acc15) : acc14);
        }
    }
    int group1 = (int)get_group_id(0);
    if (group1 < (n % 8)) {
        float4 acc16 = (float4)(0.0f);
        float4 acc17 = (float4)((-0.0f));
        for (int i3 = 0; i3 < (m / 4); ++i3) {
            PREFETCH_READ(xss + (group1 * m + 8 * m * (n / 8) + 4 * i3 + 16));
            PREFETCH_READ(ys + (4 * i3 + 16));
            const float4 t38 = (*(__global const unaligned_float4*)(xss + (group1 * m + 8 * m * (n / 8) + 4 * i3)) * *(__global const unaligned_float4*)(ys + (4 * i3)));
            const float4 t39 = (acc16 + t38);
            const float4 t40 = (t39 - acc16);
            const float4 next20 = t39;
            const float4 next21 = ((acc17 + (float4)((-0.0f))) + ((acc16 - (t39 - t40)) + (t38 - t40)));
            acc16 = next20;
            acc17 = next21;
        }
        float acc18 = 0.0f;
        float acc19 = (-0.0f);
        const float t41 = (acc16.s0 + acc16.s1);
        const float t42 = (acc16.s2 + acc16.s3);
        const float t43 = (t41 + t42);
        const float t44 = (acc18 + t43);
        const float t45 = (t41 - acc16.s0);
        const float t46 = (t42 - acc16.s2);
        const float t47 = (((acc17.s0 + acc17.s1) + ((acc16.s0 - (t41 - t45)) + (acc16.s1 - t45))) + ((acc17.s2 + acc17.s3) + ((acc16.s2 - (t42 - t46)) + (acc16.s3 - t46))));
        const float t48 = (t43 - t41);
        const float t49 = (t44 - acc18);
        const float next22 = t44;
        const float next23 = ((acc19 + (t47 + ((t41 - (t43 - t48)) + (t42 - t48)))) + ((acc18 - (t44 - t49)) + (t43 - t49)));
        acc18 = next22;
        acc19 = next23;
        float acc20 = 0.0f;
        float acc21 = (-0.0f);
        for (int i4 = 0; i4 < (m % 4); ++i4) {
            const float t50 = (xss[group1 * m + 8 * m * (n / 8) + i4 + 4 * (m / 4)] * ys[i4 + 4 * (m / 4)]);
            const float t51 = (acc20 + t50);
            const float t52 = (t51 - acc20);
            const float next24 = t51;
            const float next25 = ((acc21 + (-0.0f)) + ((acc20 - (t51 - t52)) + (t50 - t52)));
            acc20 = next24;
            acc21 = next25;
        }
        float acc22 = 0.0f;
        float acc23 = (-0.0f);
        const float t53 = (acc22 + acc18);
        const float t54 = (t53 - acc22);
        const float next26 = t53;
        const float next27 = ((acc23 + acc19) + ((acc22 - (t53 - t54)) + (acc18 - t54)));
        acc22 = next26;
        acc23 = next27;
        const float t55 = (acc22 + acc20);
        const float t56 = (t55 - acc22);
        const float next28 = t55;
        const float next29 = ((acc23 + acc21) + ((acc22 - (t55 - t56)) + (acc20 - t56)));
        acc22 = next28;
        acc23 = next29;
        result[group1 + 8 * (n / 8)] = ((fabs(acc23) > (-0.0f)) ? (acc22 + acc23) : acc22);
    }
}
