#pragma OPENCL FP_CONTRACT OFF
typedef float4 __attribute__((aligned(sizeof(float)))) unaligned_float4;

__kernel void rows_together_and_scaled(
    __global const float* restrict ys,
    __global const float* restrict zs,
    __global const float* restrict xss,
    __global float* restrict result,
    int m,
    int n)
{
    int group0 = (int)get_group_id(0);
    if (group0 < (n / 8)) {
        for (int i0 = 0; i0 < 4; ++i0) {
            float kept0;
            float kept1;
            float kept2;
            float kept3;
            float kept4;
            float kept5;
            float kept6;
            float kept7;
            float4 acc0 = (float4)(0.0f);
            float4 acc1 = (float4)((-0.0f));
            float4 acc2 = (float4)(0.0f);
            float4 acc3 = (float4)((-0.0f));
            for (int i1 = 0; i1 < (m / 4); ++i1) {
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
            const float t6 = (acc0.s0 + acc0.s1);
            const float t7 = (acc0.s2 + acc0.s3);
            const float t8 = (t6 + t7);
            kept4 = t8;
            const float t9 = (t6 - acc0.s0);
            const float t10 = (t7 - acc0.s2);
            const float t11 = (((acc1.s0 + acc1.s1) + ((acc0.s0 - (t6 - t9)) + (acc0.s1 - t9))) + ((acc1.s2 + acc1.s3) + ((acc0.s2 - (t7 - t10)) + (acc0.s3 - t10))));
            const float t12 = (t8 - t6);
            kept5 = (t11 + ((t6 - (t8 - t12)) + (t7 - t12)));
            const float t13 = (acc2.s0 + acc2.s1);
            const float t14 = (acc2.s2 + acc2.s3);
            const float t15 = (t13 + t14);
            kept6 = t15;
            const float t16 = (t13 - acc2.s0);
            const float t17 = (t14 - acc2.s2);
            const float t18 = (((acc3.s0 + acc3.s1) + ((acc2.s0 - (t13 - t16)) + (acc2.s1 - t16))) + ((acc3.s2 + acc3.s3) + ((acc2.s2 - (t14 - t17)) + (acc2.s3 - t17))));
            const float t19 = (t15 - t13);
            kept7 = (t18 + ((t13 - (t15 - t19)) + (t14 - t19)));
            float acc4 = 0.0f;
            float acc5 = (-0.0f);
            float acc6 = 0.0f;
            float acc7 = (-0.0f);
            for (int i2 = 0; i2 < (m % 4); ++i2) {
                const float e1 = ys[i2 + 4 * (m / 4)];
                const float t20 = (xss[8 * group0 * m + i0 * m + i2 + 4 * (m / 4)] * e1);
                const float t21 = (acc4 + t20);
                const float t22 = (t21 - acc4);
                const float t23 = (xss[8 * group0 * m + i0 * m + i2 + 4 * m + 4 * (m / 4)] * e1);
                const float t24 = (acc6 + t23);
                const float t25 = (t24 - acc6);
                const float next4 = t21;
                const float next5 = ((acc5 + (-0.0f)) + ((acc4 - (t21 - t22)) + (t20 - t22)));
                const float next6 = t24;
                const float next7 = ((acc7 + (-0.0f)) + ((acc6 - (t24 - t25)) + (t23 - t25)));
                acc4 = next4;
                acc5 = next5;
                acc6 = next6;
                acc7 = next7;
            }
            const float e2 = kept4;
            const float t26 = (e2 + acc4);
            kept0 = t26;
            const float t27 = (t26 - e2);
            kept1 = ((kept5 + acc5) + ((e2 - (t26 - t27)) + (acc4 - t27)));
            const float e3 = kept6;
            const float t28 = (e3 + acc6);
            kept2 = t28;
            const float t29 = (t28 - e3);
            kept3 = ((kept7 + acc7) + ((e3 - (t28 - t29)) + (acc6 - t29)));
            const float e4 = kept1;
            const float e5 = kept0;
            result[8 * group0 + i0] = ((((fabs(e4) > (-0.0f)) ? (e5 + e4) : e5) * 3.0f) + (zs[8 * group0 + i0] * 2.0f));
            const float e6 = kept3;
            const float e7 = kept2;
            result[8 * group0 + i0 + 4] = ((((fabs(e6) > (-0.0f)) ? (e7 + e6) : e7) * 3.0f) + (zs[8 * group0 + i0 + 4] * 2.0f));
        }
    }
    int group1 = (int)get_group_id(0);
    if (group1 < (n % 8)) {
        float kept8;
        float kept9;
        float4 acc8 = (float4)(0.0f);
        float4 acc9 = (float4)((-0.0f));
        for (int i3 = 0; i3 < (m / 4); ++i3) {
            const float4 t30 = (*(__global const unaligned_float4*)(xss + (group1 * m + 8 * m * (n / 8) + 4 * i3)) * *(__global const unaligned_float4*)(ys + (4 * i3)));
            const float4 t31 = (acc8 + t30);
            const float4 t32 = (t31 - acc8);
            const float4 next8 = t31;
            const float4 next9 = ((acc9 + (float4)((-0.0f))) + ((acc8 - (t31 - t32)) + (t30 - t32)));
            acc8 = next8;
            acc9 = next9;
        }
        const float t33 = (acc8.s0 + acc8.s1);
        const float t34 = (acc8.s2 + acc8.s3);
        const float t35 = (t33 + t34);
        kept8 = t35;
        const float t36 = (t33 - acc8.s0);
        const float t37 = (t34 - acc8.s2);
        const float t38 = (((acc9.s0 + acc9.s1) + ((acc8.s0 - (t33 - t36)) + (acc8.s1 - t36))) + ((acc9.s2 + acc9.s3) + ((acc8.s2 - (t34 - t37)) + (acc8.s3 - t37))));
        const float t39 = (t35 - t33);
        kept9 = (t38 + ((t33 - (t35 - t39)) + (t34 - t39)));
        float acc10 = 0.0f;
        float acc11 = (-0.0f);
        for (int i4 = 0; i4 < (m % 4); ++i4) {
            const float t40 = (xss[group1 * m + 8 * m * (n / 8) + i4 + 4 * (m / 4)] * ys[i4 + 4 * (m / 4)]);
            const float t41 = (acc10 + t40);
            const float t42 = (t41 - acc10);
            const float next10 = t41;
            const float next11 = ((acc11 + (-0.0f)) + ((acc10 - (t41 - t42)) + (t40 - t42)));
            acc10 = next10;
            acc11 = next11;
        }
        const float e8 = kept8;
        const float t43 = (e8 + acc10);
        const float t44 = (t43 - e8);
        const float t45 = ((kept9 + acc11) + ((e8 - (t43 - t44)) + (acc10 - t44)));
        result[group1 + 8 * (n / 8)] = ((((fabs(t45) > (-0.0f)) ? (t43 + t45) : t43) * 3.0f) + (zs[group1 + 8 * (n / 8)] * 2.0f));
    }
}
